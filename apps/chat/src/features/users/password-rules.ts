import { type PasswordPolicy, findUnmetPasswordRequirements } from '@switchboard/auth';
import zxcvbn from 'zxcvbn';
import { createBadRequestError } from '../../errors.js';
import { serverLimitSnapshotFields } from '../../core/realms/index.js';

const passwordStrengthLimits: PasswordPolicy = {
  minLength: serverLimitSnapshotFields.password_min_length,
  maxLength: serverLimitSnapshotFields.password_max_length,
  minGuesses: serverLimitSnapshotFields.password_min_guesses,
  estimateGuesses: (text) => zxcvbn(text).guesses,
};

/**
 * Checks that a password complies with the limits that the server publishes to clients, and returns the password
 * (docs/contract/chat.md 4.3).
 * @param tooWeak Error message for a password that is too short or too easily guessed.
 * @throws ApplicationError BAD_REQUEST
 */
export function checkPasswordAgainstServerLimits(password: string, tooWeak = 'The password is too weak.'): string {
  const [problem] = findUnmetPasswordRequirements(password, passwordStrengthLimits);
  if (problem === undefined) return password;
  throw createBadRequestError(problem === 'too_long' ? 'The password is too long.' : tooWeak);
}
