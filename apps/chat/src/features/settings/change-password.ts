import { Inject, Injectable } from '@nestjs/common';
import { hashPassword, verifyPassword } from '@switchboard/auth';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { checkPasswordAgainstServerLimits } from '../users/index.js';

/** Hashes of the current password and of a new password whose strength was checked. */
export interface CheckedPasswordHashes {
  readonly oldHash: string | null;
  readonly newHash: string;
}

/** Changes the password of an account after a check of the current password (chat-4.1-4 and chat-4.1-5). */
@Injectable()
export class ChangePassword {
  constructor(@Inject(DATABASE_TOKEN) private readonly database: Database) {}

  /**
   * Checks the old password of an account and hashes the new password. Returns null if the request contains no new
   * password.
   *
   * @throws ApplicationError REQUEST_VARIABLE_MISSING, BAD_REQUEST `Wrong password!` or the reason why the new password
   * is not accepted
   */
  async checkAndHashPasswords(
    actor: ChatActor,
    sent: { readonly old_password?: string | undefined; readonly new_password?: string | undefined },
  ): Promise<CheckedPasswordHashes | null> {
    const { old_password: oldPassword, new_password: newPassword } = sent;
    if (newPassword === undefined) return null;
    if (oldPassword === undefined) {
      const fields = { var_name: 'old_password' };
      throw chatErrors.create('REQUEST_VARIABLE_MISSING', { params: fields, fields });
    }
    checkPasswordAgainstServerLimits(newPassword, 'New password is too weak!');
    const { rows } = await this.database.query<{ hash: string | null }>(
      'SELECT password_hash AS hash FROM users WHERE id = $1',
      [actor.id],
    );
    const oldHash = rows[0]?.hash ?? null;
    if (!(await verifyPassword(oldPassword, oldHash))) throw createBadRequestError('Wrong password!');
    return { oldHash, newHash: await hashPassword(newPassword) };
  }

  /**
   * Stores the hash of an account's new password, and deletes the sessions of the account.
   *
   * @throws ApplicationError BAD_REQUEST if the password was changed after the check of the old password
   */
  async storePasswordHash(tx: Tx, actor: ChatActor, { oldHash, newHash }: CheckedPasswordHashes): Promise<void> {
    const { rowCount } = await tx.query(
      'UPDATE users SET password_hash = $2 WHERE id = $1 AND password_hash IS NOT DISTINCT FROM $3',
      [actor.id, newHash, oldHash],
    );
    if (rowCount === 0) throw createBadRequestError('Wrong password!');
    await tx.query('DELETE FROM sessions WHERE user_id = $1', [actor.id]);
    chatAudit.add(tx, 'password_changed', { id: actor.id });
  }
}
