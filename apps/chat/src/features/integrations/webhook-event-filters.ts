/** Event filters in a webhook URL: patterns of the event names to include and to exclude. */
export interface EventFilters {
  readonly only_events?: readonly string[] | undefined;
  readonly exclude_events?: readonly string[] | undefined;
}

/**
 * Returns a function that checks if the filters in a webhook URL select an event name. The function compares each name
 * only once, because a request may contain very many events.
 */
export function createWebhookEventFilter({
  only_events: only,
  exclude_events: excluded,
}: EventFilters): (event: string) => boolean {
  const [included, omitted] = [only?.map(createWildcardMatcher), (excluded ?? []).map(createWildcardMatcher)];
  const verdicts = new Map<string, boolean>();
  return (event) => {
    const known = verdicts.get(event);
    if (known !== undefined) return known;
    const isIncluded = included === undefined || included.some((matches) => matches(event));
    const verdict = isIncluded && !omitted.some((matches) => matches(event));
    verdicts.set(event, verdict);
    return verdict;
  };
}

/**
 * Returns a function that compares texts with a pattern that contains shell wildcards: `*`, `?`, `[abc]` and `[!abc]`.
 * The time of a comparison is proportional to the product of the lengths of text and pattern.
 */
export function createWildcardMatcher(pattern: string): (text: string) => boolean {
  const parts = parseWildcardPattern(pattern);
  return (text) => matchesWildcardPattern(text, parts);
}

function matchesWildcardPattern(text: string, parts: readonly WildcardPatternPart[]): boolean {
  // Position in the text and in the pattern after the last asterisk, to which a mismatch returns.
  let [retryText, retryPart] = [0, -1];
  let [at, part] = [0, 0];
  while (at < text.length) {
    const current = parts[part];
    if (current === '*') {
      [retryText, retryPart] = [at, part + 1];
      part += 1;
    } else if (current !== undefined && current(text.charAt(at))) {
      at += 1;
      part += 1;
    } else if (retryPart >= 0) {
      retryText += 1;
      [at, part] = [retryText, retryPart];
    } else {
      return false;
    }
  }
  return parts.slice(part).every((rest) => rest === '*');
}

type WildcardPatternPart = '*' | ((character: string) => boolean);

function parseWildcardPattern(pattern: string): WildcardPatternPart[] {
  const parts: WildcardPatternPart[] = [];
  const lastBracket = pattern.lastIndexOf(']');
  for (let at = 0; at < pattern.length; at += 1) {
    const current = pattern.charAt(at);
    const end = current === '[' && at < lastBracket ? findEndOfCharacterClass(pattern, at) : -1;
    if (end >= 0) {
      parts.push(parseCharacterClass(pattern.slice(at + 1, end)));
      at = end;
    } else if (current === '*') {
      parts.push(current);
    } else {
      parts.push(current === '?' ? () => true : (character) => character === current);
    }
  }
  return parts;
}

/**
 * Returns the position of the bracket that closes a character class in a pattern, or -1 if no bracket closes the class.
 * A closing bracket at the start of a class is a part of the class.
 */
function findEndOfCharacterClass(pattern: string, start: number): number {
  const first = start + (pattern.charAt(start + 1) === '!' ? 2 : 1);
  return pattern.indexOf(']', first + (pattern.charAt(first) === ']' ? 1 : 0));
}

function parseCharacterClass(inside: string): (character: string) => boolean {
  const isNegated = inside.startsWith('!');
  const ranges = inside.slice(isNegated ? 1 : 0).match(/[^]-[^]|[^]/g) ?? [];
  const isInside = (character: string) =>
    ranges.some((range) => range.charAt(0) <= character && character <= range.charAt(range.length - 1));
  return (character) => isInside(character) !== isNegated;
}
