import { Inject, Injectable } from '@nestjs/common';
import { translateDatabaseError } from '@switchboard/errors';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import { MailWriter } from '../../infra/mail/index.js';
import { DATABASE } from '../../tokens.js';
import { AccountChanges } from '../users/index.js';
import { lockUser, type UserRecord } from '../../core/users/index.js';
import { validateNewEmail, digestEmailToken } from './request-email-change.js';
import type { ChatDatabase, ChatTx } from '../../infra/open-prisma.js';
import { lockRealmMembership } from '../../core/database-locks.js';

interface RequestedEmail {
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
    @Inject(DATABASE) private readonly database: ChatDatabase,
    private readonly mails: MailWriter,
    private readonly accounts: AccountChanges,
    private readonly revocation: AccessRevocation,
  ) {}

  /**
   * Confirms a new email address and returns it. Returns null if the link is not valid. Checks the rules for email
   * addresses again, because the rules may have changed since the request. The old address receives an email about the
   * change.
   *
   * @throws AppError BAD_REQUEST when email addresses may no longer be changed, or when the new address is already used
   *   or not allowed
   */
  async run(token: string): Promise<string | null> {
    const changed = await this.#change(digestEmailToken(token));
    if (changed === null) return null;
    await this.revocation.invalidateCredentials([changed.user_id]);
    return changed.new_email;
  }

  async #change(digest: string): Promise<RequestedEmail | null> {
    try {
      return await this.database.inTransaction(async (tx) => {
        const realm = await tx.query<{ realm_id: number }>(
          'SELECT u.realm_id FROM email_changes c JOIN users u ON u.id = c.user_id WHERE c.token_digest = $1',
          [digest],
        );
        const realmId = realm.rows[0]?.realm_id;
        if (realmId === undefined) return null;
        await lockRealmMembership(tx, realmId, 'exclusive');
        const { rows } = await tx.query<RequestedEmail>(
          `DELETE FROM email_changes c USING users u
           WHERE c.token_digest = $1 AND c.expires_at > now() AND u.id = c.user_id AND u.is_active
           RETURNING c.user_id, u.realm_id, c.new_email`,
          [digest],
        );
        const [wish] = rows;
        const user = wish && (await lockUser(tx, realmId, wish.user_id));
        if (!wish || !user) return null;
        await validateNewEmail(tx, { id: user.id, realmId, kind: user.isBot ? 'bot' : 'user' }, wish.new_email);
        await writeMailToOldAddress(this.mails, tx, user, wish.new_email);
        await this.accounts.setEmail(tx, realmId, user, wish.new_email);
        return wish;
      });
    } catch (error) {
      if (translateDatabaseError(error)?.kind === 'unique') return null;
      throw error;
    }
  }
}

/** Sends an email to the old address of an account, which informs the user that the address was replaced. */
async function writeMailToOldAddress(mails: MailWriter, tx: ChatTx, user: UserRecord, newEmail: string): Promise<void> {
  const { rows } = await tx.query<{ realm: string }>(
    'SELECT r.name AS realm FROM users u JOIN realms r ON r.id = u.realm_id WHERE u.id = $1',
    [user.id],
  );
  const realm = rows[0]?.realm ?? '';
  mails.write(tx, {
    to: user.deliveryEmail,
    subject: `Your address in ${realm} has changed`,
    text:
      `Your account in ${realm} now has the address ${newEmail} instead of this one.\n\n` +
      'If you have not asked for this, contact an administrator of the organization at once.\n',
  });
}
