import { badRequest } from '../../errors.js';
import { limitFields } from '../realms/index.js';

/** A password that may be chosen; its length is in code points. @throws AppError BAD_REQUEST */
export function checkPassword(password: string): string {
  const length = [...password].length;
  if (length < limitFields.password_min_length) throw badRequest('The password is too weak.');
  if (length > limitFields.password_max_length) throw badRequest('The password is too long.');
  return password;
}
