import type { Tx } from '@switchboard/database';
import type { NarrowTerm } from './narrow-terms.js';
import { estimatedSearch, indexedSearch } from './search-condition.js';
import { isIndexed, searchTerms } from './search-terms.js';
import { SqlParameters } from './sql-text.js';

/** True if an index knows something of what is searched for. */
export function isSearchIndexed(searches: readonly NarrowTerm[]): boolean {
  return searches.some((term) => isIndexed(searchTerms(term)));
}

/**
 * Returns the number of texts that the planner expects a search to read by its indexes: from the statistics of words,
 * without reading a message. Good for words that are common, too high or too low by any factor for others.
 */
export async function estimateSearchMatches(tx: Tx, searches: readonly NarrowTerm[]): Promise<number> {
  const parameters = new SqlParameters();
  const conditions = searches.map((term) => estimatedSearch(term, parameters)).filter((sql) => sql !== null);
  const { rows } = await tx.query<{ 'QUERY PLAN': [{ Plan: { 'Plan Rows': number } }] }>({
    text: `EXPLAIN (FORMAT JSON)
      SELECT 1 FROM message_texts x WHERE ${conditions.join(' AND ')}`,
    values: parameters.values,
    planned: 'each time',
  });
  return rows[0]?.['QUERY PLAN'][0].Plan['Plan Rows'] ?? 0;
}

/**
 * Returns the ids of all messages that searches find by their indexes, in ascending order; rights to read are not
 * checked.
 *
 * @param most Null is returned where there are more, or more messages of topics that have something of the search.
 */
export async function findSearchMatches(
  tx: Tx,
  searches: readonly NarrowTerm[],
  most: number,
): Promise<number[] | null> {
  const parameters = new SqlParameters();
  const { rows } = await tx.query<{ ids: number[]; in_topics: number }>({
    text: `WITH ${indexedSearch(searches, parameters, most)}
      SELECT (SELECT count(*) FROM in_topic) AS in_topics, ARRAY(SELECT id FROM found LIMIT ${most + 1}) AS ids`,
    values: parameters.values,
    planned: 'each time',
  });
  const { ids = [], in_topics: inTopics = 0 } = rows[0] ?? {};
  return Math.max(ids.length, inTopics) > most ? null : [...new Set(ids)].toSorted((a, b) => a - b);
}
