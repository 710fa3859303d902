import { type SearchTerms, searchTerms } from './search-terms.js';
import type { NarrowTerm } from './narrow-terms.js';
import type { SqlParameters } from './sql-text.js';

/**
 * A search as SQL over `messages m`, for the search indexes: words by that of text search, texts by that of trigrams.
 * Letters outside ASCII narrow a text down by their pairs, of which the first index knows (migration `message_search`).
 * What is looked for stands in subqueries: unable to see it, the planner takes it for rare and uses the indexes.
 *
 * @throws AppError BAD_NARROW
 */
export function indexedSearch(term: NarrowTerm, parameters: SqlParameters): string {
  const terms = searchTerms(term);
  const query = searchQuery(terms, parameters);
  const conditions = patterns(terms, parameters).map((pattern) => `${searchedText} LIKE (SELECT ${pattern})`);
  if (query !== null) conditions.push(`m.search @@ (SELECT ${query})`);
  return conditions.join(' AND ');
}

/**
 * A search as SQL over `messages m` whose texts the planner sees, for its estimate of the matches.
 *
 * @throws AppError BAD_NARROW
 */
export function estimatedSearch(term: NarrowTerm, parameters: SqlParameters): string {
  const terms = searchTerms(term);
  const query = searchQuery(terms, parameters);
  const conditions = patterns(terms, parameters).map((pattern) => `${searchedText} LIKE ${pattern}`);
  if (query !== null) conditions.push(`m.search @@ (${query})`);
  return conditions.join(' AND ');
}

/**
 * A search as SQL over `messages m`, for messages that are read in another order. Where texts stand the planner cannot
 * tell, and is kept from finding too many of them by index.
 *
 * @throws AppError BAD_NARROW
 */
export function searchFilter(term: NarrowTerm, parameters: SqlParameters): string {
  const terms = searchTerms(term);
  const query = searchQuery(terms, parameters);
  const conditions = patterns(terms, parameters).map((pattern) => `(${searchedText} LIKE ${pattern}) IS TRUE`);
  if (query !== null) conditions.unshift(`m.search @@ (${query})`);
  return `(${conditions.join(' AND ')})`;
}

const searchedText = 'search_text(m.topic, m.content)';

function patterns({ literals }: SearchTerms, parameters: SqlParameters): string[] {
  return literals.map((literal) => {
    const pattern = parameters.add(`%${literal.replaceAll(/[\\%_]/g, '\\$&')}%`);
    return `lower(${pattern}::text COLLATE "pg_c_utf8") COLLATE "default"`;
  });
}

/** Marked as the function `search_pairs` of the database marks them. */
const marked = (letters: string): string => `0${letters}`;

/** The text-search query, if there is anything for one. */
function searchQuery({ words, pairs, letters }: SearchTerms, parameters: SqlParameters): string | null {
  const parts: string[] = [];
  const lexemes = [words, ...pairs.map(marked)].join(' ').trim();
  if (lexemes !== '') parts.push(`plainto_tsquery('chat_search', search_plain(${parameters.add(lexemes)}))`);
  // Nothing but a 0 and a letter stands between the quotes.
  const beginnings = letters.map((letter) => `'${marked(letter)}':*`).join(' & ');
  if (beginnings !== '') parts.push(`to_tsquery('chat_search', ${parameters.add(beginnings)})`);
  return parts.length === 0 ? null : parts.join(' && ');
}
