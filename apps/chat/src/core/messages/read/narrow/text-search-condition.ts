import { containsTrigram, type SearchTerms, parseSearchTerms } from './search-terms.js';
import type { NarrowTerm } from './parse-narrow-terms.js';
import type { NumberedSqlParameters } from './numbered-sql-parameters.js';

/**
 * Returns the expressions `in_topic` and `found (id)` of a statement: ids of messages found by the search indexes,
 * possibly with duplicates. Either all search terms are in the content, or some are in the topic and the others in
 * either of them. Search terms are hidden in subqueries, so that the planner considers them rare and uses the indexes.
 * @param most Maximum number of messages of matching topics to read. If `in_topic` has more rows, `found` lacks them.
 * @throws AppError BAD_NARROW
 */
export function createIndexedSearch(
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
        AND (SELECT ${inContentOrTopicSql(rest)} FROM message_texts x WHERE x.message_id = in_topic.id))`;
}

/**
 * Returns the parts of a search that an index supports, as SQL over `message_texts x`. The SQL serves to estimate the
 * number of texts to read, because the planner can see its search terms. Returns null if no index supports any part.
 *
 * @throws AppError BAD_NARROW
 */
export function createEstimatedSearch(term: NarrowTerm, parameters: NumberedSqlParameters): string | null {
  const terms = parseSearchTerms(term);
  const indexed = { ...terms, literals: terms.literals.filter(containsTrigram) };
  const conditions = createContentConditions(indexed, parameters, (sql) => `(${sql})`);
  return conditions.length === 0 ? null : conditions.join(' AND ');
}

/**
 * Returns the SQL of a search over `messages m` and `message_texts x`, for messages that another condition selects.
 * Topics that contain a word are read once per statement.
 *
 * @throws AppError BAD_NARROW
 */
export function createSearchFilterSql(term: NarrowTerm, parameters: NumberedSqlParameters): string {
  const parts = createSearchPartConditions(parseSearchTerms(term), parameters).map(({ inContent, inTopic }) => {
    return { inContent, inTopic: topicMatchesSearchSql(inTopic) };
  });
  return `(${inContentOrTopicSql(parts)})`;
}

/** SQL of searches that first reads message texts, and then only the messages whose text may match. */
export interface TextSearchSql {
  /** SQL columns over `message_texts x`, one per search: true if the content matches. */
  readonly columns: string;
  /** SQL condition over `message_texts x`. It is false if no search can match the message with any topic. */
  readonly filter: string;
  /** SQL condition over `messages m` and a row `text` that contains the {@link columns}. */
  readonly condition: string;
}

/**
 * Returns the SQL of all searches of a narrow, including negated ones. For terms that no topic contains, only the
 * content is compared.
 * @throws AppError BAD_NARROW
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
    return term.negated ? `NOT coalesce(${inContentOrTopicSql(parts)}, false)` : inContentOrTopicSql(parts);
  });
  return { columns: columns.join(', '), filter: filter.join(' AND '), condition: conditions.join(' AND ') };
}

/** A search term as two SQL conditions, one on `message_texts x` and one on `topics t`. */
interface SearchPartConditions {
  readonly inContent: string;
  readonly inTopic: string;
}

const topicMatchesSearchSql = (inTopic: string): string => `m.topic_id IN (SELECT t.id FROM topics t WHERE ${inTopic})`;

const inContentOrTopicSql = (parts: readonly SearchPartConditions[]): string =>
  parts.map(({ inContent, inTopic }) => `(${inContent} OR ${inTopic})`).join(' AND ');

/** Wraps an SQL expression in a subquery, so that any plan evaluates it once per statement. */
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
      // For literals without letters case does not matter.
      const content = searchedLetterPattern.test(literal) ? 'search_lower(x.content)' : 'x.content';
      return {
        inContent: `${content} LIKE ${pattern}`,
        inTopic: `${createTrigramConditionSql('t.topic', literal)} LIKE ${pattern}`,
      };
    }),
  ];
}

/**
 * Returns all search terms as SQL conditions on `message_texts x`. Letters outside ASCII are searched by their pairs,
 * which `x.search` contains in addition to the words (migration `message_search`).
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
 * Returns the SQL expression that a literal is compared with. The trigram index supports the expression only if the
 * literal contains a trigram, because the scan for another literal would read the whole index.
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

/** Returns letters outside ASCII with the prefix that the database function `search_pairs` adds to them. */
const addPairPrefix = (letters: string): string => `0${letters}`;

/** Returns the text-search query (tsquery) as SQL, or null if no part of the search needs one. */
function createSearchQuerySql(
  { words, pairs, letters }: SearchTerms,
  parameters: NumberedSqlParameters,
): string | null {
  const parts: string[] = [];
  const lexemes = [words, ...pairs.map(addPairPrefix)].join(' ').trim();
  if (lexemes !== '') parts.push(createWordQuerySql(lexemes, parameters));
  // The quoted text contains only a 0 and a letter.
  const beginnings = letters.map((letter) => `'${addPairPrefix(letter)}':*`).join(' & ');
  if (beginnings !== '') parts.push(`to_tsquery('chat_search', ${parameters.addValue(beginnings)})`);
  return parts.length === 0 ? null : parts.join(' && ');
}
