import type { RequestLimits } from './request-limits.js';

/**
 * Returns the error message for a regular expression of a user, or null if PostgreSQL may run the expression. Back
 * references are rejected, because PostgreSQL matches back references by backtracking. Without back references, the
 * matching time is proportional to the length of the text.
 */
export function findRegularExpressionProblem(
  pattern: string,
  { patternLength }: Pick<RequestLimits, 'patternLength'>,
): string | null {
  if (pattern.length > patternLength || patternHasBackReference(pattern)) {
    return `Enter a regular expression of at most ${patternLength} characters, without references.`;
  }
  return estimateExpandedSize(pattern) > maxExpandedPatternSize ? 'Enter a valid regular expression.' : null;
}

/**
 * Maximum size of a regular expression after repetitions such as `a{3}` are expanded. The limit exists because
 * PostgreSQL stores the expanded expression in memory.
 */
const maxExpandedPatternSize = 5_000;

/**
 * Estimates the size of a regular expression after repetitions such as `a{3}` are expanded; see {@link
 * maxExpandedPatternSize}.
 */
function estimateExpandedSize(pattern: string): number {
  const groups: number[] = [];
  let [size, last] = [0, 0];
  for (const [token, group, bounds] of pattern.matchAll(
    /([()])|(\{\d[\d,]*\})|\\[^]|\[\^?\]?(?:\\[^]|[^\]\\])*\]|[^]/g,
  )) {
    if (token === '(') {
      groups.push(size);
      [size, last] = [0, 0];
    } else if (group !== undefined) {
      last = size;
      size += groups.pop() ?? 0;
    } else if (bounds !== undefined) {
      const times = Math.max(1, ...bounds.slice(1, -1).split(',').map(Number));
      size += last * (times - 1);
      last *= times;
    } else if (!'*+?'.includes(token)) {
      last = 1;
      size += 1;
    }
  }
  return groups.reduce((sum, outer) => sum + outer, size);
}

/** Returns the error message for a search text, or null if the text is short enough. */
export function findSearchTextProblem(
  text: string,
  { patternLength }: Pick<RequestLimits, 'patternLength'>,
): string | null {
  if (text.length <= patternLength) return null;
  return `Ensure this value has at most ${patternLength} characters (it has ${text.length}).`;
}

function patternHasBackReference(pattern: string): boolean {
  // Other escapes are removed first: in `\\1` the second backslash is escaped, so `1` is a plain digit.
  return /\\[1-9]/.test(pattern.replace(/\\[^1-9]/g, ''));
}
