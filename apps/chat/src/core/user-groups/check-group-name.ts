import { badRequest } from '../../errors.js';

const maxLength = 100;
const reservedPrefixes = ['@', 'role:', 'user:', 'stream:', 'channel:'];

/**
 * Returns the trimmed name of a user group. Lengths are in code points (docs/contract/chat.md 6.2).
 *
 * @throws AppError BAD_REQUEST with the texts of docs/contract/chat.md 1.6
 */
export function checkGroupName(text: string): string {
  const name = text.trim();
  if (name === '') throw badRequest("User group name can't be empty!");
  if ([...name].length > maxLength) throw badRequest(`User group name cannot exceed ${maxLength} characters.`);
  const prefix = reservedPrefixes.find((start) => name.startsWith(start));
  if (prefix !== undefined) throw badRequest(`User group name cannot start with '${prefix}'.`);
  return name;
}

/** Creates the error for a group name that is already in use. */
export function groupNameTaken(name: string): Error {
  return badRequest(`User group '${name}' already exists.`);
}
