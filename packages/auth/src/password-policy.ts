/** A kind of characters that a policy may require. */
export type PasswordCharacter = 'digit' | 'uppercase' | 'lowercase';

/** Requirements of one service for new passwords. Lengths in code points. */
export interface PasswordPolicy {
  readonly minLength: number;
  readonly maxLength?: number;
  /** Kinds of characters, each required at least once in a password. */
  readonly requires?: readonly PasswordCharacter[];
  /** The fewest guesses that an attacker may need, by an estimator such as zxcvbn. */
  readonly minGuesses?: number;
  /** Estimates the number of guesses. Gets short texts only, because estimators are slow for long ones. */
  readonly estimateGuesses?: (text: string) => number;
}

/** A requirement that a password does not meet. */
export type PasswordProblem = 'too_short' | 'too_long' | `no_${PasswordCharacter}` | 'too_guessable';

const characters: Readonly<Record<PasswordCharacter, RegExp>> = {
  digit: /\d/,
  uppercase: /\p{Lu}/u,
  lowercase: /\p{Ll}/u,
};

/** The longest text that is given to an estimator: some 50 ms of work at worst. */
const estimatedLength = 16;

/**
 * The requirements of a policy that a new password does not meet, in the order of {@link PasswordProblem}; none for a
 * good one. A password that is too short or too long is not estimated. The only rule for the strength of passwords:
 * services name their requirements and put the problems in the words of their protocol.
 */
export function passwordProblems(password: string, policy: PasswordPolicy): PasswordProblem[] {
  const { minLength, maxLength = Number.POSITIVE_INFINITY, requires = [] } = policy;
  const points = [...password];
  const problems: PasswordProblem[] = [];
  if (points.length < minLength) problems.push('too_short');
  if (points.length > maxLength) problems.push('too_long');
  for (const kind of requires) {
    if (!characters[kind].test(password)) problems.push(`no_${kind}`);
  }
  const isMeasured = points.length >= minLength && points.length <= maxLength;
  if (isMeasured && isGuessable(points, policy)) problems.push('too_guessable');
  return problems;
}

/**
 * A text that repeats itself is estimated once. Of a long one the beginning and the end are estimated, and the stronger
 * of them counts.
 */
function isGuessable(points: readonly string[], { minGuesses, estimateGuesses }: PasswordPolicy): boolean {
  if (minGuesses === undefined || estimateGuesses === undefined) return false;
  const unit = repeatedUnit(points);
  const repetitions = points.length / unit.length;
  const parts =
    unit.length <= estimatedLength ? [unit] : [unit.slice(0, estimatedLength), unit.slice(-estimatedLength)];
  return parts.every((part) => estimateGuesses(part.join('')) * repetitions < minGuesses);
}

/** The shortest text of which a text consists when it repeats itself, else the text. */
function repeatedUnit(points: readonly string[]): readonly string[] {
  for (let length = 1; length <= points.length / 2; length += 1) {
    if (points.length % length !== 0) continue;
    if (points.every((point, index) => point === points[index % length])) return points.slice(0, length);
  }
  return points;
}
