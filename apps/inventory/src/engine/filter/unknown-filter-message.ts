import type { ListFilter } from './filter-problem.js';

const maxFilterSuggestions = 3;
const maxComparedFilterNameLength = 60;

/** Returns the error message for an unknown filter, with similar names of known filters. */
export function createUnknownFilterMessage(parameter: string, known: ReadonlyMap<string, ListFilter>): string {
  const cut = parameter.lastIndexOf('__');
  const filter = cut < 0 ? undefined : known.get(parameter.slice(0, cut));
  if (filter !== undefined) {
    const lookups = filter.lookups.map((lookup) => `${filter.name}__${lookup}`);
    return lookups.length === 0
      ? `Unknown filter. ${filter.name} takes no lookups.`
      : `Unknown filter. ${filter.name} takes the lookups ${lookups.join(', ')}.`;
  }
  const name = cut < 0 ? parameter : parameter.slice(0, cut);
  const near = listSimilarFilterNames(name, [...known.keys()]);
  if (near.length === 0) return 'Unknown filter.';
  return `Unknown filter. Did you mean ${near.map((suggestion) => suggestion + parameter.slice(name.length)).join(' or ')}?`;
}

/**
 * Returns the candidate filter names that are similar to the given name, most similar first. At most a third of the
 * given name's letters differ in a similar name.
 */
function listSimilarFilterNames(name: string, candidates: readonly string[]): string[] {
  // Such a long name is not a typing error.
  if (name.length > maxComparedFilterNameLength) return [];
  const most = Math.max(1, Math.floor(name.length / 3));
  return candidates
    .filter((candidate) => Math.abs(candidate.length - name.length) <= most || isPrefixOfOtherName(name, candidate))
    .map((candidate) => ({ candidate, distance: computeEditDistance(name, candidate) }))
    .filter(({ candidate, distance }) => distance <= most || isPrefixOfOtherName(name, candidate))
    .toSorted((one, other) => one.distance - other.distance)
    .slice(0, maxFilterSuggestions)
    .map(({ candidate }) => candidate);
}

/**
 * Returns true if the text `one` is a prefix of the text `other`, or the text `other` is a prefix of the text `one`.
 */
function isPrefixOfOtherName(one: string, other: string): boolean {
  return one.startsWith(other) || other.startsWith(one);
}

/**
 * Returns the edit distance of two texts. The distance is the number of letters to insert, delete, replace or swap with
 * their neighbor to convert one text into the other.
 */
function computeEditDistance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let i = 1; i <= one.length; i += 1) {
    const row = [i];
    for (let j = 1; j <= other.length; j += 1) {
      const same = one[i - 1] === other[j - 1] ? 0 : 1;
      const swapped = i > 1 && j > 1 && one[i - 1] === other[j - 2] && one[i - 2] === other[j - 1];
      const steps = [(last[j] ?? 0) + 1, (row[j - 1] ?? 0) + 1, (last[j - 1] ?? 0) + same];
      row.push(Math.min(...steps, swapped ? (before[j - 2] ?? 0) + 1 : Number.POSITIVE_INFINITY));
    }
    [before, last] = [last, row];
  }
  return last[other.length] ?? 0;
}
