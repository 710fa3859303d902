import type { Tx } from '@switchboard/database';
import type { MessageIdSearchParameters } from './walk-message-ids.js';
import { createNarrowedCandidates } from './narrow-sql.js';
import type { NarrowTerm } from './parse-narrow-terms.js';
import { createIndexedSearchConditionSql, createIndexedSearchSql } from './text-search-condition.js';
import { isSearchTermIndexed, parseSearchTerms } from './search-terms.js';
import { NumberedSqlParameters } from './numbered-sql-parameters.js';

/** Returns true if an index supports at least one part of the search terms. */
export function isSearchSupportedByIndex(searches: readonly NarrowTerm[]): boolean {
  return searches.some((term) => isSearchTermIndexed(parseSearchTerms(term)));
}

/**
 * Returns the number of message texts that the planner expects a search to read by its indexes. The planner uses
 * statistics of words without reading messages. The estimate is good for common words, and can be wrong by any factor
 * for other words.
 */
export async function estimateSearchMatches(tx: Tx, searches: readonly NarrowTerm[]): Promise<number> {
  const parameters = new NumberedSqlParameters();
  const conditions = searches
    .map((term) => createIndexedSearchConditionSql(term, parameters))
    .filter((sql) => sql !== null);
  const { rows } = await tx.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>({
    text: `EXPLAIN (FORMAT JSON)
      SELECT 1 FROM message_texts x WHERE ${conditions.join(' AND ')}`,
    values: parameters.values,
    planned: 'each time',
  });
  return rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

/**
 * Returns the ids of the messages that match a narrow (filter) with text searches. A search index finds candidates, and
 * the SQL compares only these with the other terms of the narrow. The candidates remain in the database, because a
 * common word occurs in a large part of all messages.
 *
 * @param most maximum number of candidates
 * @returns null if the index finds more candidates, or if the topics whose names contain a search term have more
 * messages
 */
export async function findMessageIdsMatchingSearches(
  tx: Tx,
  query: MessageIdSearchParameters,
  searches: readonly NarrowTerm[],
  most: number,
): Promise<readonly number[] | null> {
  const { narrow, order, beyond, limit, more } = query;
  const sql = new NumberedSqlParameters();
  const indexed = createIndexedSearchSql(searches, sql, most);
  const isBeyond = beyond === null ? '' : `AND id ${order === 'DESC' ? '<' : '>'} ${sql.addValue(beyond)}::bigint`;
  const matching = createNarrowedCandidates(narrow, sql, {
    hasFlags: false,
    more: more && ((actor) => more(actor, sql)),
  });
  const expressions = [
    indexed,
    // Not materialized, because `found` is materialized already. The statement reads `found` only up to the limit.
    `few AS NOT MATERIALIZED (SELECT id FROM found LIMIT ${most + 1})`,
    `number AS MATERIALIZED (SELECT greatest((SELECT count(*) FROM few), (SELECT count(*) FROM in_topic)) AS found)`,
    // Ids may be duplicates. Readers use `= ANY (ARRAY(...))`, which sorts them and drops duplicates.
    `candidate AS (SELECT id AS message_id FROM few WHERE (SELECT found FROM number) <= ${most} ${isBeyond})`,
    ...matching.expressions,
  ];
  const { rows } = await tx.query<{ ids: number[]; found: number }>({
    text: `WITH ${expressions.join(', ')}
      SELECT number.found, ARRAY(
        SELECT ${matching.id} ${matching.sql} ORDER BY ${matching.id} ${order} LIMIT ${limit}) AS ids
      FROM number`,
    values: sql.values,
    planned: 'each time',
  });
  const { ids = [], found = 0 } = rows[0] ?? {};
  return found > most ? null : ids;
}
