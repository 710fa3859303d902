import { z } from 'zod';
import { badRequest } from '../../errors.js';

const emailSchema = z.email().max(254);

/**
 * Returns the trimmed email address.
 * @throws AppError BAD_REQUEST if it is not valid
 */
export function checkEmail(text: string): string {
  const parsed = emailSchema.safeParse(text.trim());
  if (!parsed.success) throw badRequest('Enter a valid email address.');
  return parsed.data;
}

/** Creates the error for an address that another account has (docs/contract/chat.md 1.6). */
export function emailInUse(email: string): Error {
  return badRequest(`Email '${email}' already in use`);
}
