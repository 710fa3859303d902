import {
  type PasswordPolicy,
  type UnmetPasswordRequirement,
  findUnmetPasswordRequirements as problemsOf,
} from '@switchboard/auth';

const passwordPolicy: PasswordPolicy = { minLength: 12, requires: ['digit', 'uppercase', 'lowercase'] };

const messageByPasswordProblem: Readonly<Partial<Record<UnmetPasswordRequirement, string>>> = {
  too_short: `This password is too short. It must contain at least ${passwordPolicy.minLength} characters.`,
  no_digit: 'Password must have at least one numeral.',
  no_uppercase: 'Password must have at least one uppercase letter.',
  no_lowercase: 'Password must have at least one lowercase letter.',
};

/**
 * Returns the error messages for a new password that is too weak. A password needs 12 characters, an upper-case letter,
 * a lower-case letter and a digit (docs/contract/inventory.md 1.2).
 */
export function listPasswordProblems(password: string): string[] {
  const [first, ...further] = problemsOf(password, passwordPolicy).flatMap(
    (problem) => messageByPasswordProblem[problem] ?? [],
  );
  // Of several missing kinds of characters, the reference API reports only the first.
  return first === undefined
    ? []
    : [first, ...(first === messageByPasswordProblem.too_short ? further.slice(0, 1) : [])];
}
