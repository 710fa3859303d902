import { hasTrigram, type SearchTerms, searchTerms } from './search-terms.js';
import type { NarrowTerm } from './narrow-terms.js';
import type { SqlParameters } from './sql-text.js';

/**
 * Returns the expressions `in_topic` and `found (id)` of a statement: ids of the messages that searches find by the
 * search indexes; a message may come twice. All that is searched for is in the content, or some of it in the topic and
 * the rest in either. What is searched for stands in subqueries: unable to see it, the planner takes it for rare and uses
 * the indexes.
 *
 * @param most Messages of topics that are read. Where `in_topic` has more rows, `found` lacks them.
 * @throws AppError BAD_NARROW
 */
export function indexedSearch(searches: readonly NarrowTerm[], parameters: SqlParameters, most: number): string {
  const terms = searches.map(searchTerms);
  const contents = terms.flatMap((each) => contentConditions(each, parameters, hidden));
  const parts = terms.flatMap((each) => searchParts(each, parameters));
  const flags = parts.map(({ inTopic }, place) => `${inTopic} AS has_${place}`);
  const rest = parts.map(({ inContent }, place) => ({ inContent, inTopic: `in_topic.has_${place}` }));
  // Materialized: planned to find all, by the index then, and stopped when there are too many.
  return `in_topic AS MATERIALIZED (
      SELECT m.id, ${flags.join(', ')} FROM topics t CROSS JOIN LATERAL (
        SELECT id FROM messages WHERE topic_id = t.id OFFSET 0) m
      WHERE ${parts.map(({ inTopic }) => inTopic).join(' OR ')} LIMIT ${most + 1}),
    found AS MATERIALIZED (
      SELECT x.message_id AS id FROM message_texts x WHERE ${contents.join(' AND ')}
      UNION ALL
      SELECT in_topic.id FROM in_topic WHERE (SELECT count(*) FROM in_topic) <= ${most}
        AND (SELECT ${inEither(rest)} FROM message_texts x WHERE x.message_id = in_topic.id))`;
}

/**
 * Returns the searches that an index knows as SQL over `message_texts x`, for an estimate of the texts that are read:
 * the planner sees what is searched for. Null if no index knows anything.
 *
 * @throws AppError BAD_NARROW
 */
export function estimatedSearch(term: NarrowTerm, parameters: SqlParameters): string | null {
  const terms = searchTerms(term);
  const indexed = { ...terms, literals: terms.literals.filter(hasTrigram) };
  const conditions = contentConditions(indexed, parameters, (sql) => `(${sql})`);
  return conditions.length === 0 ? null : conditions.join(' AND ');
}

/**
 * A search as SQL over `messages m` and `message_texts x`, for messages that are read in another order. The topics that
 * have a word are read once for a statement.
 *
 * @throws AppError BAD_NARROW
 */
export function searchFilter(term: NarrowTerm, parameters: SqlParameters): string {
  const parts = searchParts(searchTerms(term), parameters).map(({ inContent, inTopic }) => {
    return { inContent, inTopic: topicAmong(inTopic) };
  });
  return `(${inEither(parts)})`;
}

/** Searches as SQL that reads texts first, and messages only where the text does not rule them out. */
export interface TextSearch {
  /** Columns over `message_texts x`: true where the content has what is searched for. */
  readonly columns: string;
  /** Condition over `message_texts x`. False for texts of messages that no search finds, whatever their topic. */
  readonly filter: string;
  /** Condition over `messages m` and a row `text` with the columns. */
  readonly condition: string;
}

/**
 * Builds the SQL of all searches of a narrow, negated ones included. Of what no topic has, the content decides.
 *
 * @throws AppError BAD_NARROW
 */
export function textSearch(searches: readonly NarrowTerm[], parameters: SqlParameters): TextSearch {
  const columns: string[] = [];
  const filter: string[] = [];
  const conditions = searches.map((term) => {
    const parts = searchParts(searchTerms(term), parameters).map(({ inContent, inTopic }) => {
      const column = `has_${columns.length}`;
      columns.push(`${inContent} AS ${column}`);
      if (!term.negated) filter.push(`((SELECT EXISTS (SELECT FROM topics t WHERE ${inTopic})) OR ${inContent})`);
      return { inContent: `text.${column}`, inTopic: topicAmong(inTopic) };
    });
    // A direct message has no topic: whether it is among some is unknown.
    return term.negated ? `NOT coalesce(${inEither(parts)}, false)` : inEither(parts);
  });
  return { columns: columns.join(', '), filter: filter.join(' AND '), condition: conditions.join(' AND ') };
}

/** A word or a text that is searched for, as conditions on `message_texts x` and on `topics t`. */
interface SearchPart {
  readonly inContent: string;
  readonly inTopic: string;
}

const topicAmong = (inTopic: string): string => `m.topic_id IN (SELECT t.id FROM topics t WHERE ${inTopic})`;

const inEither = (parts: readonly SearchPart[]): string =>
  parts.map(({ inContent, inTopic }) => `(${inContent} OR ${inTopic})`).join(' AND ');

/** Wraps an expression so that it is evaluated once per statement, with any plan. */
const hidden = (sql: string): string => `(SELECT ${sql})`;

const anyLetter = /\p{Alphabetic}/u;

function searchParts({ words, literals }: SearchTerms, parameters: SqlParameters): SearchPart[] {
  const byWord = words.split(' ').filter((word) => word !== '');
  return [
    ...byWord.map((word) => {
      const query = hidden(wordQuery(word, parameters));
      return { inContent: `x.search @@ ${query}`, inTopic: `t.search @@ ${query}` };
    }),
    ...literals.map((literal) => {
      const pattern = hidden(likePattern(literal, parameters));
      // No letter has a sign as its lower case.
      const content = anyLetter.test(literal) ? 'search_lower(x.content)' : 'x.content';
      return {
        inContent: `${content} LIKE ${pattern}`,
        inTopic: `${indexedText('t.topic', literal)} LIKE ${pattern}`,
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
    (literal) => `${indexedText('x.content', literal)} LIKE ${shown(likePattern(literal, parameters))}`,
  );
  if (query !== null) conditions.push(`x.search @@ ${shown(query)}`);
  return conditions;
}

/** The indexed expression for literals of which the index has trigrams. For others its scan would read all of it. */
function indexedText(column: string, literal: string): string {
  return hasTrigram(literal) ? `search_lower(${column})` : `(search_lower(${column}) || '')`;
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
