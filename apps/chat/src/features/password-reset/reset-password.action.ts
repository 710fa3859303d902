import { Inject, Injectable } from '@nestjs/common';
import { hashPassword } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import { chatErrors } from '../../errors.js';
import { DATABASE } from '../../tokens.js';
import { checkPassword } from '../users/index.js';
import { consumeReset, findReset, resetTokenDigest } from './password-reset.repository.js';

/** Sets a new password by the link in a mail. A link works once, and until it expires. */
@Injectable()
export class ResetPassword {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly revocation: AccessRevocation,
  ) {}

  /** Returns the email address of the account that a reset link is for. @throws AppError NOT_FOUND for an invalid link */
  async find(realmId: number, token: string): Promise<string> {
    const email = await findReset(this.database, realmId, resetTokenDigest(token));
    if (email === null) throw invalidLink();
    return email;
  }

  /**
   * Sets the password of the account of a link, and ends the account's sessions as a password change does.
   *
   * @throws AppError NOT_FOUND for a link that is not valid, BAD_REQUEST for a weak password
   */
  async run(realmId: number, token: string, password: string): Promise<void> {
    // The link is checked before the costly hashing of the password.
    await this.find(realmId, token);
    const passwordHash = await hashPassword(checkPassword(password));
    const userId = await this.database.inTransaction((tx) =>
      consumeReset(tx, realmId, resetTokenDigest(token), passwordHash),
    );
    if (userId === null) throw invalidLink();
    await this.revocation.refresh([userId]);
  }
}

function invalidLink(): Error {
  return chatErrors.create('NOT_FOUND', { message: 'This link is invalid or has expired.' });
}
