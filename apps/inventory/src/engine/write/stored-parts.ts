import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/model.js';
import type { TaggedItem } from './tag-assignments.js';

/** Whether functions of the database store fields of the model. */
export function hasStoredParts(model: ModelDefinition): boolean {
  return Object.values(model.fields).some(({ storedBy }) => storedBy !== undefined);
}

/**
 * Calls the functions of the database that store fields elsewhere: one call a function, whatever the number of objects.
 * Each is told of every object that was written, `[{"id": 1, "<field>": …}]` with its fields as far as the body names
 * them.
 *
 * @returns whether any was called
 */
export async function storeParts(tx: Tx, model: ModelDefinition, written: readonly TaggedItem[]): Promise<boolean> {
  const byFunction = new Map<string, string[]>();
  for (const [name, { storedBy }] of Object.entries(model.fields)) {
    if (storedBy !== undefined) byFunction.set(storedBy, [...(byFunction.get(storedBy) ?? []), name]);
  }
  for (const [name, fields] of byFunction) {
    const given = written.map(({ objectId, item }) => {
      const named = fields.filter((field) => item !== undefined && Object.hasOwn(item.values, field));
      return { ...Object.fromEntries(named.map((field) => [field, item?.values[field]])), id: objectId };
    });
    await tx.query(`SELECT ${name}($1::jsonb)`, [JSON.stringify(given)]);
  }
  return byFunction.size > 0;
}
