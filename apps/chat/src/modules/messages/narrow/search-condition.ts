import { type SearchTerms, searchTerms } from './search-terms.js';
import type { NarrowTerm } from './narrow-terms.js';
import type { SqlParameters } from './sql-text.js';

/**
 * Ids of the messages that searches find by the search indexes, as a SELECT with the column `id`; a message may come
 * twice. All that is searched for is in the content, or some of it in the topic and the rest in either. What is searched
 * for stands in subqueries: unable to see it, the planner takes it for rare and uses the indexes.
 *
 * @throws AppError BAD_NARROW
 */
export function indexedSearch(searches: readonly NarrowTerm[], parameters: SqlParameters): string {
  const terms = searches.map(searchTerms);
  const contents = terms.flatMap((each) => contentConditions(each, parameters, hidden));
  const parts = terms.flatMap((each) => searchParts(each, parameters));
  return `SELECT x.message_id AS id FROM message_texts x WHERE ${contents.join(' AND ')}
    UNION ALL
    SELECT m.id FROM topics t CROSS JOIN LATERAL (
      SELECT id FROM messages WHERE topic_id = t.id OFFSET 0) m
    WHERE (${parts.map(({ inTopic }) => inTopic).join(' OR ')})
      AND (${parts.map(({ inTopic }) => inTopic).join(' AND ')}
        OR (SELECT ${inEither(parts)} FROM message_texts x WHERE x.message_id = m.id))`;
}

/**
 * Searches of the content alone as SQL over `message_texts x`, whose texts the planner sees, for its estimate of the
 * matches.
 *
 * @throws AppError BAD_NARROW
 */
export function estimatedSearch(term: NarrowTerm, parameters: SqlParameters): string {
  return contentConditions(searchTerms(term), parameters, (sql) => `(${sql})`).join(' AND ');
}

/**
 * A search as SQL over `messages m` and `message_texts x`, for messages that are read in another order. The topics that
 * have a word are read once for a statement.
 *
 * @throws AppError BAD_NARROW
 */
export function searchFilter(term: NarrowTerm, parameters: SqlParameters): string {
  const parts = searchParts(searchTerms(term), parameters).map(({ inContent, inTopic }) => {
    const topics = `m.topic_id IN (SELECT t.id FROM topics t WHERE ${inTopic})`;
    return { inContent, inTopic: topics };
  });
  return `(${inEither(parts)})`;
}

/** A word or a text that is searched for, as conditions on `message_texts x` and on `topics t`. */
interface SearchPart {
  readonly inContent: string;
  readonly inTopic: string;
}

const inEither = (parts: readonly SearchPart[]): string =>
  parts.map(({ inContent, inTopic }) => `(${inContent} OR ${inTopic})`).join(' AND ');

/** Evaluated once for a statement, whatever its plan. */
const hidden = (sql: string): string => `(SELECT ${sql})`;

function searchParts({ words, literals }: SearchTerms, parameters: SqlParameters): SearchPart[] {
  const byWord = words.split(' ').filter((word) => word !== '');
  return [
    ...byWord.map((word) => {
      const query = hidden(wordQuery(word, parameters));
      return { inContent: `x.search @@ ${query}`, inTopic: `t.search @@ ${query}` };
    }),
    ...literals.map((literal) => {
      const pattern = hidden(likePattern(literal, parameters));
      return {
        inContent: `search_lower(x.content) LIKE ${pattern}`,
        inTopic: `search_lower(t.topic) LIKE ${pattern}`,
      };
    }),
  ];
}

/**
 * All that is searched for as conditions on `message_texts x`. Letters outside ASCII narrow a text down by their pairs,
 * which `x.search` has beside the words (migration `message_search`).
 */
function contentConditions(terms: SearchTerms, parameters: SqlParameters, shown: (sql: string) => string): string[] {
  const query = searchQuery(terms, parameters);
  const conditions = terms.literals.map(
    (literal) => `search_lower(x.content) LIKE ${shown(likePattern(literal, parameters))}`,
  );
  if (query !== null) conditions.push(`x.search @@ ${shown(query)}`);
  return conditions;
}

function likePattern(literal: string, parameters: SqlParameters): string {
  const pattern = parameters.add(`%${literal.replaceAll(/[\\%_]/g, '\\$&')}%`);
  return `lower(${pattern}::text COLLATE "pg_c_utf8") COLLATE "default"`;
}

function wordQuery(words: string, parameters: SqlParameters): string {
  return `plainto_tsquery('chat_search', search_plain(${parameters.add(words)}))`;
}

/** Marked as the function `search_pairs` of the database marks them. */
const marked = (letters: string): string => `0${letters}`;

/** The text-search query, if there is anything for one. */
function searchQuery({ words, pairs, letters }: SearchTerms, parameters: SqlParameters): string | null {
  const parts: string[] = [];
  const lexemes = [words, ...pairs.map(marked)].join(' ').trim();
  if (lexemes !== '') parts.push(wordQuery(lexemes, parameters));
  // Nothing but a 0 and a letter stands between the quotes.
  const beginnings = letters.map((letter) => `'${marked(letter)}':*`).join(' & ');
  if (beginnings !== '') parts.push(`to_tsquery('chat_search', ${parameters.add(beginnings)})`);
  return parts.length === 0 ? null : parts.join(' && ');
}
