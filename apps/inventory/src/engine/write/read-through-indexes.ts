import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/define-model.js';

/** Number of changed objects above which the cached plans of all statements are discarded. */
const maxObjectsWithCachedPlans = 100;

/**
 * Makes PostgreSQL read tables through their indexes until the transaction ends. Plans depend on statistics, which lag
 * behind a table that grows: a plan made for a small table reads the whole table for each object of a request.
 *
 * @param objects number of objects that the transaction changes
 */
export async function readThroughIndexes(tx: Tx, objects: number): Promise<void> {
  const statements = ['SET LOCAL enable_seqscan = off'];
  if (objects > maxObjectsWithCachedPlans) statements.push('DISCARD PLANS');
  await Promise.all(statements.map((statement) => tx.query(statement)));
}

/**
 * Calls {@link readThroughIndexes} for a write of many objects with derived data, such as cables. Reading each of them
 * also reads rows of several other tables.
 */
export async function readManyThroughIndexes(tx: Tx, { hooks }: ModelDefinition, objects: number): Promise<void> {
  if (hooks.derived !== undefined && objects > maxObjectsWithCachedPlans) await readThroughIndexes(tx, objects);
}
