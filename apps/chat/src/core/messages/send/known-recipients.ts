import type { FoundUser } from '../../access/find-users.js';
import { badRequest } from '../../../errors.js';

/**
 * Refuses a direct message, or a typing notification, to accounts that are hidden from the guest who sends it.
 *
 * @throws AppError BAD_REQUEST
 */
export function requireKnownRecipients(recipients: Iterable<FoundUser>): void {
  for (const { isHidden } of recipients) {
    if (isHidden) throw badRequest('You do not have permission to access some of the recipients.');
  }
}
