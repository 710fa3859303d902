import type { Tx } from '@switchboard/database';
import { inventoryErrors } from '../../errors.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import type { SqlText } from '../sql/json-text-sql.js';
import { type FunctionStoringFields, listFunctionsStoringFields, mustStoreParts } from './fields-stored-as-objects.js';
import type { ParsedRequestObject } from './parse-object-input.js';

/**
 * Maximum number of objects that the objects in fields stored by functions show of each other, for all objects of a
 * request together. For example, each port at one side of a cable shows all ports at the other side. A cable with 200
 * ports at each side, the largest number, has 80,000 of them.
 */
const maxConnectedObjects = 100_000;

/**
 * Rejects a list of objects whose fields, such as the sides of cables, would connect too many objects with each other. The
 * work of a write grows with this number, which can be far larger than the number of objects in the request.
 *
 * @throws ApplicationError VALIDATION_FAILED
 */
export async function rejectManyConnectedObjects(
  tx: Tx,
  { model, registry }: { readonly model: ModelDefinition; readonly registry: ModelRegistry },
  items: readonly ParsedRequestObject[],
): Promise<void> {
  for (const storing of listFunctionsStoringFields(model)) {
    const owners = items.filter((item) => mustStoreParts(item, storing));
    // The rules of the model limit a single object.
    if (owners.length < 2) continue;
    const stored = await countStoredObjects(tx, { model, registry }, storing, owners);
    let count = 0;
    for (const { id, values } of owners) {
      const counts = storing.fields.map((name) => countSent(values[name]) || (stored.get(`${id} ${name}`) ?? 0));
      const total = counts.reduce((sum, each) => sum + each, 0);
      // Each object of a field shows the objects of the other fields.
      for (const each of counts) count += each * (total - each);
    }
    if (count <= maxConnectedObjects) continue;
    const message = `Write fewer ${model.verboseNamePlural} in one request: the objects at their ends would show ${count} connected objects, and one request may have at most ${maxConnectedObjects}.`;
    throw inventoryErrors.create('VALIDATION_FAILED', { fields: { body: { non_field_errors: [message] } } });
  }
}

/** Returns the number of objects that a request contains for a field. An empty list leaves the stored objects unchanged. */
function countSent(value: unknown): number {
  return Array.isArray(value) ? value.length : 0;
}

/** Returns the number of stored objects in each field that a request leaves unchanged, by id of the owner and field name. */
async function countStoredObjects(
  tx: Tx,
  { model, registry }: { readonly model: ModelDefinition; readonly registry: ModelRegistry },
  { storedBy, fields }: FunctionStoringFields,
  owners: readonly ParsedRequestObject[],
): Promise<ReadonlyMap<string, number>> {
  const counts = new Map<string, number>();
  const parts = registry.find(storedBy.parts);
  if (parts === null) return counts;
  for (const name of fields) {
    const ids = owners.flatMap(({ id, values }) => (id === null || countSent(values[name]) > 0 ? [] : [id]));
    if (ids.length === 0) continue;
    const condition: SqlText = model.fields[name]?.storedBy?.where?.('p') ?? 'true';
    const { rows } = await tx.query<{ id: number; n: number }>(
      `SELECT p.${storedBy.via}_id AS id, count(*)::int AS n FROM ${parts.table} p
        WHERE p.${storedBy.via}_id = ANY ($1::bigint[]) AND ${condition} GROUP BY 1`,
      [ids],
    );
    for (const { id, n } of rows) counts.set(`${id} ${name}`, n);
  }
  return counts;
}
