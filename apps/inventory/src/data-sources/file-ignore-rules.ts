import { EventLoopPauser } from './pause-for-event-loop.js';

/**
 * Marker for the part of a glob pattern that matches any text. The marker is longer than one character, so that no
 * single character equals the marker.
 */
const anyTextGlobPart = 'any text';

/** A part of a glob pattern: {@link anyTextGlobPart}, one character, or a function that accepts some characters. */
type GlobPart = string | ((character: string) => boolean);

/**
 * Returns a function that decides whether a file of a data source is ignored. Files with a leading dot in their name,
 * and all files below a hidden folder at the root, are ignored. So are files whose path or name matches a pattern in
 * `rules`, which has one pattern per line. Patterns are case-sensitive; `*` also matches slashes, as in the reference
 * API. Stored rules may be longer than the API accepts today, so that matching pauses for other requests.
 *
 * @param signal aborts the matching with its reason
 */
export function createFileIgnoreCheck(rules: string, signal?: AbortSignal): (path: string) => Promise<boolean> {
  const pauses = new EventLoopPauser();
  const patterns = rules
    .split(/\r?\n/)
    .filter((line) => line !== '')
    .map(parseGlob);
  return async (path) => {
    const name = path.slice(path.lastIndexOf('/') + 1);
    if (path.startsWith('.') || name.startsWith('.')) return true;
    for (const pattern of patterns) {
      if (matchesGlob(pattern, path) || (name !== path && matchesGlob(pattern, name))) return true;
      await pauses.pauseIfDue();
      signal?.throwIfAborted();
    }
    return false;
  };
}

function parseGlob(text: string): readonly GlobPart[] {
  const parts: GlobPart[] = [];
  for (let at = 0; at < text.length; at += 1) {
    const character = text.charAt(at);
    const end = character === '[' ? findCharacterSetEnd(text, at) : -1;
    if (character === '*') parts.push(anyTextGlobPart);
    else if (character === '?') parts.push(() => true);
    else if (end > 0) {
      parts.push(parseCharacterSet(text.slice(at + 1, end)));
      at = end;
    } else parts.push(character);
  }
  return parts;
}

/**
 * Returns the index of the bracket that closes a character set such as `[abc]`, or -1. A set has at least one
 * character.
 */
function findCharacterSetEnd(text: string, start: number): number {
  return text.indexOf(']', text.charAt(start + 1) === '!' ? start + 3 : start + 2);
}

/** Parses a character set of a glob pattern, such as `abc`, `a-z` or `!0-9`. */
function parseCharacterSet(text: string): (character: string) => boolean {
  const isNegated = text.startsWith('!');
  const members = isNegated ? text.slice(1) : text;
  const ranges: (readonly [from: string, to: string])[] = [];
  for (let at = 0; at < members.length; at += 1) {
    const from = members.charAt(at);
    const isRange = members.charAt(at + 1) === '-' && at + 2 < members.length;
    ranges.push([from, isRange ? members.charAt(at + 2) : from]);
    if (isRange) at += 2;
  }
  return (character) => ranges.some(([from, to]) => from <= character && character <= to) !== isNegated;
}

/**
 * Returns true if a text matches a glob pattern. The time is at most proportional to the product of pattern length and
 * text length, because backtracking is limited to the last `*`.
 */
function matchesGlob(pattern: readonly GlobPart[], text: string): boolean {
  let [part, at, star, retry] = [0, 0, -1, 0];
  while (at < text.length) {
    const current = pattern[part];
    const character = text.charAt(at);
    if (current === anyTextGlobPart) {
      [star, retry] = [part, at];
      part += 1;
    } else if (current === character || (typeof current === 'function' && current(character))) {
      part += 1;
      at += 1;
    } else if (star >= 0) {
      retry += 1;
      [part, at] = [star + 1, retry];
    } else return false;
  }
  return pattern.slice(part).every((rest) => rest === anyTextGlobPart);
}
