import { createBadRequestError } from '../../errors.js';

const maxUserGroupNameLength = 100;
const reservedUserGroupNamePrefixes = ['@', 'role:', 'user:', 'stream:', 'channel:'];

/**
 * Checks the name of a user group, and returns the name without blanks at its ends. Lengths are in Unicode code points
 * (docs/contract/chat.md 6.2).
 *
 * @throws ApplicationError BAD_REQUEST with the texts of docs/contract/chat.md 1.6
 */
export function checkUserGroupName(text: string): string {
  const name = text.trim();
  if (name === '') throw createBadRequestError("User group name can't be empty!");
  if ([...name].length > maxUserGroupNameLength)
    throw createBadRequestError(`User group name cannot exceed ${maxUserGroupNameLength} characters.`);
  const prefix = reservedUserGroupNamePrefixes.find((start) => name.startsWith(start));
  if (prefix !== undefined) throw createBadRequestError(`User group name cannot start with '${prefix}'.`);
  return name;
}

/** Creates the error for a group name that is already in use. */
export function createTakenGroupNameError(name: string): Error {
  return createBadRequestError(`User group '${name}' already exists.`);
}
