import type { Tx } from '@switchboard/database';
import { indexedSearch } from './search-condition.js';
import { isIndexed, searchTerms } from './search-terms.js';
import type { NarrowTerm } from './narrow-terms.js';
import { SqlParameters } from './sql-text.js';

/** What the search indexes find at once; beyond that, the newest messages hold enough of what is looked for. */
const fewMatches = 1000;

/**
 * Ids of all messages that a search finds, whoever may read them, when they are few: a page of them is then read by id
 * alone, in any narrow. Null where there are more, or where no index knows: a page is then filled newest first. The
 * planner does not guess well which of the two a text calls for, hence this one statement that counts.
 *
 * @throws AppError BAD_NARROW
 */
export async function findFewMatches(
  tx: Tx,
  realmId: number,
  searches: readonly NarrowTerm[],
): Promise<number[] | null> {
  if (!searches.some((term) => isIndexed(searchTerms(term)))) return null;
  const parameters = new SqlParameters();
  const conditions = searches.map((term) => indexedSearch(term, parameters));
  // Materialized: planned to find all, by the index then, and stopped when there are too many.
  const { rows } = await tx.query<{ id: number }>(
    `WITH found AS MATERIALIZED (
       SELECT m.id FROM messages m WHERE ${conditions.join(' AND ')} AND m.realm_id = ${parameters.add(realmId)})
     SELECT id FROM found LIMIT ${fewMatches + 1}`,
    parameters.values,
  );
  return rows.length > fewMatches ? null : rows.map((row) => row.id);
}
