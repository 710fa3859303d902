import { Inject, Injectable } from '@nestjs/common';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import { OutgoingMailWriter } from '../../infra/mail/index.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { AccountUpdater } from '../users/index.js';
import { lockUser, type UserRecord } from '../../core/users/index.js';
import { validateNewEmailAddress, digestEmailToken } from './request-email-change.js';
import type { ChatDatabaseWithPrisma, ChatTransaction } from '../../infra/open-prisma.js';
import { lockRealmMembership } from '../../core/database-locks.js';

interface RequestedEmailChangeRow {
  user_id: number;
  realm_id: number;
  new_email: string;
}

/**
 * Sets the new email address of an account when the user opens the emailed link. The link can be used only once and
 * expires.
 */
@Injectable()
export class ConfirmEmailChange {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: ChatDatabaseWithPrisma,
    private readonly mails: OutgoingMailWriter,
    private readonly accounts: AccountUpdater,
    private readonly revocation: AccessRevocation,
  ) {}

  /**
   * Confirms a new email address and returns it. Returns null if the link is not valid. Checks the rules for email
   * addresses again, because the rules may have changed since the request. The old address receives an email about the
   * change.
   *
   * @throws ApplicationError BAD_REQUEST when email addresses may no longer be changed, or when the new address is
   * already used
   *   or not allowed
   */
  async run(token: string): Promise<string | null> {
    const changed = await this.#change(digestEmailToken(token));
    if (changed === null) return null;
    await this.revocation.invalidateCredentials([changed.user_id]);
    return changed.new_email;
  }

  async #change(digest: string): Promise<RequestedEmailChangeRow | null> {
    try {
      return await this.database.inTransaction(async (tx) => {
        const realm = await tx.query<{ realm_id: number }>(
          'SELECT u.realm_id FROM email_changes c JOIN users u ON u.id = c.user_id WHERE c.token_digest = $1',
          [digest],
        );
        const realmId = realm.rows[0]?.realm_id;
        if (realmId === undefined) return null;
        await lockRealmMembership(tx, realmId, 'exclusive');
        const { rows } = await tx.query<RequestedEmailChangeRow>(
          `DELETE FROM email_changes c USING users u
           WHERE c.token_digest = $1 AND c.expires_at > now() AND u.id = c.user_id AND u.is_active
           RETURNING c.user_id, u.realm_id, c.new_email`,
          [digest],
        );
        const [wish] = rows;
        const user = wish && (await lockUser(tx, realmId, wish.user_id));
        if (!wish || !user) return null;
        await validateNewEmailAddress(tx, { id: user.id, realmId, kind: user.isBot ? 'bot' : 'user' }, wish.new_email);
        await enqueueMailToOldAddress(this.mails, tx, user, wish.new_email);
        await this.accounts.storeNewEmailAddress(tx, realmId, user, wish.new_email);
        return wish;
      });
    } catch (error) {
      if (convertErrorToDatabaseFault(error)?.kind === 'unique') return null;
      throw error;
    }
  }
}

/** Sends an email to the old address of an account, which informs the user that the address was replaced. */
async function enqueueMailToOldAddress(
  mails: OutgoingMailWriter,
  tx: ChatTransaction,
  user: UserRecord,
  newEmail: string,
): Promise<void> {
  const { rows } = await tx.query<{ realm: string }>(
    'SELECT r.name AS realm FROM users u JOIN realms r ON r.id = u.realm_id WHERE u.id = $1',
    [user.id],
  );
  const realm = rows[0]?.realm ?? '';
  mails.enqueueMail(tx, {
    to: user.deliveryEmail,
    subject: `Your address in ${realm} has changed`,
    text:
      `Your account in ${realm} now has the address ${newEmail} instead of this one.\n\n` +
      'If you have not asked for this, contact an administrator of the organization at once.\n',
  });
}
