import { createBadRequestError } from '../../errors.js';

const maxGroupNameLength = 100;
const reservedGroupNamePrefixes = ['@', 'role:', 'user:', 'stream:', 'channel:'];

/**
 * Checks the name of a user group, and returns the name without blanks at its ends. Lengths are in Unicode code points
 * (docs/contract/chat.md 6.2).
 *
 * @throws AppError BAD_REQUEST with the texts of docs/contract/chat.md 1.6
 */
export function checkGroupName(text: string): string {
  const name = text.trim();
  if (name === '') throw createBadRequestError("User group name can't be empty!");
  if ([...name].length > maxGroupNameLength)
    throw createBadRequestError(`User group name cannot exceed ${maxGroupNameLength} characters.`);
  const prefix = reservedGroupNamePrefixes.find((start) => name.startsWith(start));
  if (prefix !== undefined) throw createBadRequestError(`User group name cannot start with '${prefix}'.`);
  return name;
}

/** Creates the error for a group name that is already in use. */
export function createGroupNameTakenError(name: string): Error {
  return createBadRequestError(`User group '${name}' already exists.`);
}
