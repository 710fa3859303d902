/** Filters of a URL: patterns of event names. */
export interface EventFilters {
  readonly only_events?: readonly string[] | undefined;
  readonly exclude_events?: readonly string[] | undefined;
}

/** Returns true if the filters of a URL admit an event. */
export function isAdmitted(event: string, { only_events: only, exclude_events: excluded }: EventFilters): boolean {
  if (only !== undefined && !only.some((pattern) => matchesPattern(event, pattern))) return false;
  return !(excluded ?? []).some((pattern) => matchesPattern(event, pattern));
}

/**
 * Returns true if a text matches a pattern with the wildcards of a shell: `*`, `?`, `[abc]` and `[!abc]`. Takes time
 * proportional to the product of both lengths.
 */
export function matchesPattern(text: string, pattern: string): boolean {
  const parts = partsOf(pattern);
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

type PatternPart = '*' | ((character: string) => boolean);

function partsOf(pattern: string): PatternPart[] {
  return (pattern.match(/\[!?\]?[^\]]*\]|[^]/g) ?? []).map((part) => {
    if (part === '*') return part;
    if (part === '?') return () => true;
    return part.length > 1 ? characterClass(part.slice(1, -1)) : (character) => character === part;
  });
}

function characterClass(inside: string): (character: string) => boolean {
  const isNegated = inside.startsWith('!');
  const ranges = inside.slice(isNegated ? 1 : 0).match(/[^]-[^]|[^]/g) ?? [];
  const isInside = (character: string) =>
    ranges.some((range) => range.charAt(0) <= character && character <= range.charAt(range.length - 1));
  return (character) => isInside(character) !== isNegated;
}
