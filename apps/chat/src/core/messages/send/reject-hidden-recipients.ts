import type { UserFoundByReference } from '../../access/find-users.js';
import { createBadRequestError } from '../../../errors.js';

/**
 * Throws if a guest sends a direct message or typing notification to accounts that the guest cannot see.
 * @throws ApplicationError BAD_REQUEST
 */
export function rejectHiddenRecipients(recipients: Iterable<UserFoundByReference>): void {
  for (const { isHidden } of recipients) {
    if (isHidden) throw createBadRequestError('You do not have permission to access some of the recipients.');
  }
}
