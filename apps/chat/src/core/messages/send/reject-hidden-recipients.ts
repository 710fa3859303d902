import type { FoundUser } from '../../access/find-users.js';
import { createBadRequestError } from '../../../errors.js';

/**
 * Rejects a direct message or typing notification from a guest to accounts hidden from the guest.
 * @throws AppError BAD_REQUEST
 */
export function rejectHiddenRecipients(recipients: Iterable<FoundUser>): void {
  for (const { isHidden } of recipients) {
    if (isHidden) throw createBadRequestError('You do not have permission to access some of the recipients.');
  }
}
