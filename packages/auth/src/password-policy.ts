/** A kind of character that a password policy may require. */
export type RequiredPasswordCharacterKind = 'digit' | 'uppercase' | 'lowercase';

/** Requirements of one service for new passwords. Password lengths are numbers of Unicode code points. */
export interface PasswordPolicy {
  readonly minLength: number;
  readonly maxLength?: number;
  /** Kinds of characters that a password must contain, each at least once. */
  readonly requires?: readonly RequiredPasswordCharacterKind[];
  /**
   * Minimum number of guesses that an attacker must need to find a password, as estimated by a library such as zxcvbn.
   */
  readonly minGuesses?: number;
  /**
   * Function that estimates the number of guesses for a text. The function is called only with short texts, because
   * estimators are slow for long texts.
   */
  readonly estimateGuesses?: (text: string) => number;
}

/** A requirement of a policy that a password does not meet. */
export type UnmetPasswordRequirement =
  | 'too_short'
  | 'too_long'
  | `no_${RequiredPasswordCharacterKind}`
  | 'too_guessable';

const patternByRequiredCharacterKind: Readonly<Record<RequiredPasswordCharacterKind, RegExp>> = {
  digit: /\d/,
  uppercase: /\p{Lu}/u,
  lowercase: /\p{Ll}/u,
};

/**
 * Maximum length of a text that is passed to the estimator of guesses. For a text of this length, the estimator takes
 * at most about 50 ms.
 */
const maxEstimatedPasswordLength = 16;

/**
 * Returns the requirements of a policy that a new password does not meet, in the order of {@link UnmetPasswordRequirement}. A
 * password that is too short or too long is not estimated. This is the only check of password strength: services supply
 * the policy and translate the problems into errors of their API.
 */
export function findUnmetPasswordRequirements(password: string, policy: PasswordPolicy): UnmetPasswordRequirement[] {
  const { minLength, maxLength = Number.POSITIVE_INFINITY, requires = [] } = policy;
  const points = [...password];
  const problems: UnmetPasswordRequirement[] = [];
  if (points.length < minLength) problems.push('too_short');
  if (points.length > maxLength) problems.push('too_long');
  for (const kind of requires) {
    if (!patternByRequiredCharacterKind[kind].test(password)) problems.push(`no_${kind}`);
  }
  const isMeasured = points.length >= minLength && points.length <= maxLength;
  if (isMeasured && isGuessablePassword(points, policy)) problems.push('too_guessable');
  return problems;
}

/**
 * Returns true if the password needs fewer guesses than the policy requires. If the password is a repetition of a
 * shorter text, only the shorter text is estimated. For a long text, the beginning and the end are estimated, and the
 * higher number of guesses is used.
 */
function isGuessablePassword(points: readonly string[], { minGuesses, estimateGuesses }: PasswordPolicy): boolean {
  if (minGuesses === undefined || estimateGuesses === undefined) return false;
  const unit = findShortestRepeatedPart(points);
  const repetitions = points.length / unit.length;
  const parts =
    unit.length <= maxEstimatedPasswordLength
      ? [unit]
      : [unit.slice(0, maxEstimatedPasswordLength), unit.slice(-maxEstimatedPasswordLength)];
  return parts.every((part) => estimateGuesses(part.join('')) * repetitions < minGuesses);
}

/**
 * Returns the shortest part of a text whose repetition gives the whole text. Returns the whole text if it is no
 * repetition.
 */
function findShortestRepeatedPart(points: readonly string[]): readonly string[] {
  for (let length = 1; length <= points.length / 2; length += 1) {
    if (points.length % length !== 0) continue;
    if (points.every((point, index) => point === points[index % length])) return points.slice(0, length);
  }
  return points;
}
