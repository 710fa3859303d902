import { type PasswordPolicy, findPasswordProblems } from '@switchboard/auth';
import zxcvbn from 'zxcvbn';
import { createBadRequestError } from '../../errors.js';
import { getServerLimitFields } from '../../core/realms/index.js';

const passwordPolicy: PasswordPolicy = {
  minLength: getServerLimitFields.password_min_length,
  maxLength: getServerLimitFields.password_max_length,
  minGuesses: getServerLimitFields.password_min_guesses,
  estimateGuesses: (text) => zxcvbn(text).guesses,
};

/**
 * Checks that a password complies with the limits that the server publishes to clients, and returns the password
 * (docs/contract/chat.md 4.3).
 * @param tooWeak Error message for a password that is too short or too easily guessed.
 * @throws AppError BAD_REQUEST
 */
export function checkPassword(password: string, tooWeak = 'The password is too weak.'): string {
  const [problem] = findPasswordProblems(password, passwordPolicy);
  if (problem === undefined) return password;
  throw createBadRequestError(problem === 'too_long' ? 'The password is too long.' : tooWeak);
}
