import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import { translateDatabaseError } from '@switchboard/errors';
import { AccessRevocation } from '../../access/access-revocation.js';
import { lockPopulation } from '../../access/population-lock.js';
import { DATABASE } from '../../tokens.js';
import { AccountChanges } from '../accounts/index.js';
import { lockUser } from '../users/index.js';
import { emailTokenDigest } from './request-email.js';

interface Wish {
  user_id: number;
  realm_id: number;
  new_email: string;
}

/** Gives an account the address that a link was mailed to: once, and while the link is good. */
@Injectable()
export class ConfirmEmail {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly accounts: AccountChanges,
    private readonly revocation: AccessRevocation,
  ) {}

  /** The new address; null when the link is not good, or somebody else has the address by now. */
  async run(token: string): Promise<string | null> {
    const changed = await this.#change(emailTokenDigest(token));
    if (changed === null) return null;
    await this.revocation.refresh([changed.user_id]);
    return changed.new_email;
  }

  async #change(digest: string): Promise<Wish | null> {
    try {
      return await this.database.inTransaction(async (tx) => {
        const realm = await tx.query<{ realm_id: number }>(
          'SELECT u.realm_id FROM email_changes c JOIN users u ON u.id = c.user_id WHERE c.token_digest = $1',
          [digest],
        );
        const realmId = realm.rows[0]?.realm_id;
        if (realmId === undefined) return null;
        await lockPopulation(tx, realmId, 'exclusive');
        const { rows } = await tx.query<Wish>(
          `DELETE FROM email_changes c USING users u
           WHERE c.token_digest = $1 AND c.expires_at > now() AND u.id = c.user_id AND u.is_active
           RETURNING c.user_id, u.realm_id, c.new_email`,
          [digest],
        );
        const [wish] = rows;
        const user = wish && (await lockUser(tx, realmId, wish.user_id));
        if (!wish || !user) return null;
        await this.accounts.setEmail(tx, realmId, user, wish.new_email);
        return wish;
      });
    } catch (error) {
      if (translateDatabaseError(error)?.kind === 'unique') return null;
      throw error;
    }
  }
}
