import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/define-model.js';

/** Number of changed objects above which PostgreSQL discards the cached plans of all statements. */
const maxObjectsWithCachedPlans = 100;

/**
 * Makes PostgreSQL read tables through their indexes until the transaction ends. PostgreSQL plans statements by
 * statistics, which are outdated while a table grows. A plan made for a small table would read the whole table for each
 * object of a request.
 *
 * @param objects number of objects that the transaction changes
 */
export async function forceIndexReads(tx: Tx, objects: number): Promise<void> {
  const statements = ['SET LOCAL enable_seqscan = off'];
  if (objects > maxObjectsWithCachedPlans) statements.push('DISCARD PLANS');
  await Promise.all(statements.map((statement) => tx.query(statement)));
}

/**
 * Calls {@link forceIndexReads} for a write of many objects with derived data, such as cables. Reading each written
 * object also reads rows of several other tables.
 */
export async function forceLargeWriteIndexReads(tx: Tx, { hooks }: ModelDefinition, objects: number): Promise<void> {
  if (hooks.derived !== undefined && objects > maxObjectsWithCachedPlans) await forceIndexReads(tx, objects);
}
