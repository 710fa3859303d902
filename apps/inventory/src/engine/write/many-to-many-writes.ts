import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ParsedRequestObject } from './parse-object-input.js';
import type { WrittenObjectWithTags } from './tag-assignments.js';

/** Returns true if the request for a new object contains values of many-to-many relations. */
export function hasManyToManyValues(model: ModelDefinition, item: ParsedRequestObject): boolean {
  return Object.entries(model.fields).some(
    ([name, { join }]) => join !== undefined && Object.hasOwn(item.values, name),
  );
}

/**
 * Replaces the many-to-many relations of objects with the relations in the request. Runs two statements for each field.
 * If the related objects' own table stores the reference, the listed related objects are reassigned. Related objects
 * that the request does not list then remain assigned.
 *
 * @returns true if the request contains such a relation for any object
 */
export async function replaceManyToManyRelations(
  tx: Tx,
  model: ModelDefinition,
  written: readonly WrittenObjectWithTags[],
): Promise<boolean> {
  let touched = false;
  for (const [name, { join }] of Object.entries(model.fields)) {
    const named = written.flatMap(({ objectId, item }) => {
      const others: unknown = item?.values[name];
      return join !== undefined && Array.isArray(others) ? [{ own: objectId, others: others.map(Number) }] : [];
    });
    if (join === undefined || named.length === 0) continue;
    touched = true;
    const { table, own, other, moves = false } = join;
    const pairs = named.flatMap(({ own: id, others }) => others.map((related) => ({ own: id, other: related })));
    const given = 'jsonb_to_recordset($1::jsonb) AS pair(own bigint, other bigint)';
    if (moves) {
      await tx.query(`UPDATE ${table} j SET ${own} = pair.own FROM ${given} WHERE j.${other} = pair.other`, [
        JSON.stringify(pairs),
      ]);
      continue;
    }
    await tx.query(
      `DELETE FROM ${table} j WHERE j.${own} = ANY ($2::bigint[])
        AND NOT EXISTS (SELECT FROM ${given} WHERE pair.own = j.${own} AND pair.other = j.${other})`,
      [JSON.stringify(pairs), named.map(({ own: id }) => id)],
    );
    if (pairs.length === 0) continue;
    await tx.query(
      `INSERT INTO ${table} (${own}, ${other}) SELECT pair.own, pair.other FROM ${given} ON CONFLICT DO NOTHING`,
      [JSON.stringify(pairs)],
    );
  }
  return touched;
}
