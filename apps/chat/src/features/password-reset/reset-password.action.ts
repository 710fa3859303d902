import { Inject, Injectable } from '@nestjs/common';
import { hashPassword } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import { AccessRevocation } from '../../core/access/access-revocation.js';
import { chatErrors } from '../../errors.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { checkPasswordAgainstServerLimits } from '../users/index.js';
import { setPasswordWithResetLink, findPasswordResetEmail, digestResetToken } from './password-reset.repository.js';

/** Sets a new password when a user opens the reset link in a mail. A link can be used once before it expires. */
@Injectable()
export class ResetPassword {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly revocation: AccessRevocation,
  ) {}

  /**
   * Returns the email address of the account to which a reset link belongs.
   *
   * @throws ApplicationError NOT_FOUND for an invalid link
   */
  async findEmailOfResetLink(realmId: number, token: string): Promise<string> {
    const email = await findPasswordResetEmail(this.database, realmId, digestResetToken(token));
    if (email === null) throw createInvalidResetLinkError();
    return email;
  }

  /**
   * Sets the password of the account to which a reset link belongs, and ends the account's sessions.
   *
   * @throws ApplicationError NOT_FOUND for a link that is not valid, BAD_REQUEST for a weak password
   */
  async run(realmId: number, token: string, password: string): Promise<void> {
    // The link is checked before the costly hashing of the password.
    await this.findEmailOfResetLink(realmId, token);
    const passwordHash = await hashPassword(checkPasswordAgainstServerLimits(password));
    const userId = await this.database.inTransaction(async (tx) => {
      const id = await setPasswordWithResetLink(tx, realmId, digestResetToken(token), passwordHash);
      if (id !== null) {
        chatAudit.add(tx, 'password_reset', { id, actor: { realm: String(realmId), id, kind: 'user' } });
      }
      return id;
    });
    if (userId === null) throw createInvalidResetLinkError();
    await this.revocation.invalidateCredentials([userId]);
  }
}

function createInvalidResetLinkError(): Error {
  return chatErrors.create('NOT_FOUND', { message: 'This link is invalid or has expired.' });
}
