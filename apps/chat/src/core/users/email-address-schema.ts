import { z } from 'zod';
import { createBadRequestError } from '../../errors.js';

const emailSchema = z.email().max(254);

/**
 * Returns the trimmed email address.
 * @throws ApplicationError BAD_REQUEST if the address is not valid
 */
export function checkEmail(text: string): string {
  const parsed = emailSchema.safeParse(text.trim());
  if (!parsed.success) throw createBadRequestError('Enter a valid email address.');
  return parsed.data;
}

/** Creates the error for an email address that another account already uses (docs/contract/chat.md 1.6). */
export function createEmailInUseError(email: string): Error {
  return createBadRequestError(`Email '${email}' already in use`);
}
