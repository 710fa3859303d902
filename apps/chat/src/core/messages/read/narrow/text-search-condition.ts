import { containsTrigram, type SearchTerms, parseSearchTerms } from './search-terms.js';
import type { NarrowTerm } from './parse-narrow-terms.js';
import type { NumberedSqlParameters } from './numbered-sql-parameters.js';

/**
 * Returns the WITH expressions `in_topic` and `found (id)` of an SQL statement. They select the ids of the messages
 * that the search indexes find, possibly with duplicates. A found message contains every search term in its content or
 * in its topic. Subqueries hide the search terms from the
 * in its topic. Subqueries hide the search terms from the planner, so that it considers the terms rare and uses the
 * indexes.
 *   messages of matching topics.
 * @throws ApplicationError BAD_NARROW
 */
export function createIndexedSearchSql(
  searches: readonly NarrowTerm[],
  parameters: NumberedSqlParameters,
  most: number,
): string {
  const terms = searches.map(parseSearchTerms);
  const contents = terms.flatMap((each) => createContentConditions(each, parameters, wrapInSubquerySql));
  const parts = terms.flatMap((each) => createSearchPartConditions(each, parameters));
  const flags = parts.map(({ inTopic }, place) => `${inTopic} AS has_${place}`);
  const rest = parts.map(({ inContent }, place) => ({ inContent, inTopic: `in_topic.has_${place}` }));
  // Materialized, so that it is planned to read all rows by the index, and stopped if there are too many.
  return `in_topic AS MATERIALIZED (
      SELECT m.id, ${flags.join(', ')} FROM topics t CROSS JOIN LATERAL (
        SELECT id FROM messages WHERE topic_id = t.id OFFSET 0) m
      WHERE ${parts.map(({ inTopic }) => inTopic).join(' OR ')} LIMIT ${most + 1}),
    found AS MATERIALIZED (
      SELECT x.message_id AS id FROM message_texts x WHERE ${contents.join(' AND ')}
      UNION ALL
      SELECT in_topic.id FROM in_topic WHERE (SELECT count(*) FROM in_topic) <= ${most}
        AND (SELECT ${createContentOrTopicSql(rest)} FROM message_texts x WHERE x.message_id = in_topic.id))`;
}

/**
 * Returns the parts of a search that an index supports, as an SQL condition over `message_texts x`. The condition
 * serves to estimate the number of texts to read, because it shows the search terms to the planner. Returns null if an
 * index supports no part of the search.
 *
 * @throws ApplicationError BAD_NARROW
 */
export function createIndexedSearchConditionSql(term: NarrowTerm, parameters: NumberedSqlParameters): string | null {
  const terms = parseSearchTerms(term);
  const indexed = { ...terms, literals: terms.literals.filter(containsTrigram) };
  const conditions = createContentConditions(indexed, parameters, (sql) => `(${sql})`);
  return conditions.length === 0 ? null : conditions.join(' AND ');
}

/**
 * Returns the SQL condition of a search over `messages m` and `message_texts x`, for messages that another condition
 * selects. The statement reads the topics that contain a searched word only once.
 *
 * @throws ApplicationError BAD_NARROW
 */
export function createSearchFilterSql(term: NarrowTerm, parameters: NumberedSqlParameters): string {
  const parts = createSearchPartConditions(parseSearchTerms(term), parameters).map(({ inContent, inTopic }) => {
    return { inContent, inTopic: topicMatchesSearchSql(inTopic) };
  });
  return `(${createContentOrTopicSql(parts)})`;
}

/** SQL of searches that first read message texts, and then read only the messages whose text may match. */
export interface TextSearchSql {
  /**
   * SQL columns over `message_texts x`, one column per search. A column is true if the message content matches the
   * search.
   */
  readonly columns: string;
  /**
   * SQL condition over `message_texts x`. The condition is false if the message matches no search, whatever its topic
   * is.
   */
  readonly filter: string;
  /** SQL condition over `messages m` and a row `text` that contains the columns {@link columns}. */
  readonly condition: string;
}

/**
 * Returns the SQL of all searches of a narrow, including negated ones. For search terms that no topic contains, the SQL
 * checks only the message content.
 * @throws ApplicationError BAD_NARROW
 */
export function createTextSearchSql(searches: readonly NarrowTerm[], parameters: NumberedSqlParameters): TextSearchSql {
  const columns: string[] = [];
  const filter: string[] = [];
  const conditions = searches.map((term) => {
    const parts = createSearchPartConditions(parseSearchTerms(term), parameters).map(({ inContent, inTopic }) => {
      const column = `has_${columns.length}`;
      columns.push(`${inContent} AS ${column}`);
      if (!term.negated) filter.push(`((SELECT EXISTS (SELECT FROM topics t WHERE ${inTopic})) OR ${inContent})`);
      return { inContent: `text.${column}`, inTopic: topicMatchesSearchSql(inTopic) };
    });
    // A direct message has no topic, so the comparison with topics is null.
    return term.negated ? `NOT coalesce(${createContentOrTopicSql(parts)}, false)` : createContentOrTopicSql(parts);
  });
  return { columns: columns.join(', '), filter: filter.join(' AND '), condition: conditions.join(' AND ') };
}

/**
 * A search term in the form of two SQL conditions: a condition on the content in `message_texts x`, and a condition on
 * `topics t`.
 */
interface SearchPartConditions {
  readonly inContent: string;
  readonly inTopic: string;
}

const topicMatchesSearchSql = (inTopic: string): string => `m.topic_id IN (SELECT t.id FROM topics t WHERE ${inTopic})`;

const createContentOrTopicSql = (parts: readonly SearchPartConditions[]): string =>
  parts.map(({ inContent, inTopic }) => `(${inContent} OR ${inTopic})`).join(' AND ');

/**
 * Wraps an SQL expression in a subquery, so that PostgreSQL evaluates the expression once per statement, whatever plan
 * it chooses.
 */
const wrapInSubquerySql = (sql: string): string => `(SELECT ${sql})`;

const searchedLetterPattern = /\p{Alphabetic}/u;

function createSearchPartConditions(
  { words, literals }: SearchTerms,
  parameters: NumberedSqlParameters,
): SearchPartConditions[] {
  const byWord = words.split(' ').filter((word) => word !== '');
  return [
    ...byWord.map((word) => {
      const query = wrapInSubquerySql(createWordQuerySql(word, parameters));
      return { inContent: `x.search @@ ${query}`, inTopic: `t.search @@ ${query}` };
    }),
    ...literals.map((literal) => {
      const pattern = wrapInSubquerySql(createLikePatternSql(literal, parameters));
      // Letter case does not matter for literals without letters.
      const content = searchedLetterPattern.test(literal) ? 'search_lower(x.content)' : 'x.content';
      return {
        inContent: `${content} LIKE ${pattern}`,
        inTopic: `${createTrigramConditionSql('t.topic', literal)} LIKE ${pattern}`,
      };
    }),
  ];
}

/**
 * Returns all search terms as SQL conditions on `message_texts x`. The conditions search letters outside ASCII as pairs
 * of letters, which `x.search` contains in addition to the words (migration `message_search`).
 */
function createContentConditions(
  terms: SearchTerms,
  parameters: NumberedSqlParameters,
  shown: (sql: string) => string,
): string[] {
  const query = createSearchQuerySql(terms, parameters);
  const conditions = terms.literals.map(
    (literal) =>
      `${createTrigramConditionSql('x.content', literal)} LIKE ${shown(createLikePatternSql(literal, parameters))}`,
  );
  if (query !== null) conditions.push(`x.search @@ ${shown(query)}`);
  return conditions;
}

/**
 * Returns the SQL expression with which a literal text is compared. The trigram index supports the expression only if
 * the literal contains a trigram. For other literals, an index scan would read the whole index.
 */
function createTrigramConditionSql(column: string, literal: string): string {
  return containsTrigram(literal) ? `search_lower(${column})` : `(search_lower(${column}) || '')`;
}

function createLikePatternSql(literal: string, parameters: NumberedSqlParameters): string {
  const pattern = parameters.addValue(`%${literal.replaceAll(/[\\%_]/g, '\\$&')}%`);
  return `lower(${pattern}::text COLLATE "pg_c_utf8") COLLATE "default"`;
}

function createWordQuerySql(words: string, parameters: NumberedSqlParameters): string {
  return `plainto_tsquery('chat_search', search_plain(${parameters.addValue(words)}))`;
}

/** Adds to letters outside ASCII the prefix that the database function `search_pairs` also adds. */
const addLetterPairPrefix = (letters: string): string => `0${letters}`;

/**
 * Returns the SQL of the text-search query (tsquery) for a search. Returns null if no part of the search needs a
 * text-search query.
 */
function createSearchQuerySql(
  { words, pairs, letters }: SearchTerms,
  parameters: NumberedSqlParameters,
): string | null {
  const parts: string[] = [];
  const lexemes = [words, ...pairs.map(addLetterPairPrefix)].join(' ').trim();
  if (lexemes !== '') parts.push(createWordQuerySql(lexemes, parameters));
  // The quoted text contains only a 0 and a letter.
  const beginnings = letters.map((letter) => `'${addLetterPairPrefix(letter)}':*`).join(' & ');
  if (beginnings !== '') parts.push(`to_tsquery('chat_search', ${parameters.addValue(beginnings)})`);
  return parts.length === 0 ? null : parts.join(' && ');
}
