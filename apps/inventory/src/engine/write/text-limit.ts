import type { Tx } from '@switchboard/database';
import { errors } from '../../errors.js';
import type { Grant } from '../access.js';
import type { ModelDefinition } from '../declaration/model.js';
import { rowAlias } from '../read/shapes.js';
import { identifier, type Sql } from '../sql/pieces.js';
import { Parameters, prepared } from '../sql/statement.js';
import { storedFields } from './columns.js';

/** Maximum number of objects whose texts are not measured. A request may send as much text itself. */
const maxUnmeasured = 10;

/** Number of rows of a long list that are read at a time. */
const rowsOfSlice = 500;

/** Number of bytes, as read from the database. */
type ByteCount = [bytes: string];

/** Returns true if the stored texts of a list of `count` objects are limited. */
export function isMeasured(count: number): boolean {
  return count > maxUnmeasured;
}

/**
 * Refuses to change a list of objects whose texts are too long in total, because each text is read, and shown
 * several times. Reads only the lengths of the texts. Texts may still grow until the objects are locked.
 *
 * @throws AppError VALIDATION_FAILED
 */
export async function refuseLongTexts(
  tx: Tx,
  {
    model,
    ids,
    grant,
    limit,
  }: { model: ModelDefinition; ids: readonly (number | string)[]; grant: Grant | null; limit: number },
): Promise<void> {
  const length = textLength(model, ids.length);
  if (length === null) return;
  const parameters = new Parameters();
  const requested = parameters.add(ids, 'bigint[]');
  const condition = grant === null || grant.where === null ? '' : ` AND (${grant.where(rowAlias, parameters)})`;
  const { rows } = await tx.query<ByteCount>(
    prepared(
      `SELECT coalesce(sum(${length}), 0)::text FROM ${model.table} ${rowAlias}
        WHERE ${rowAlias}.id = ANY (${requested})${condition}`,
      parameters.values,
    ),
  );
  const bytes = Number(rows[0]?.[0] ?? 0);
  if (bytes <= limit) return;
  const message = `Change objects with at most ${limit} bytes of text in one request (these have ${bytes}).`;
  throw errors.create('VALIDATION_FAILED', { fields: { body: { non_field_errors: [message] } } });
}

/** Returns the total length of the stored texts of objects of several models, in bytes. */
export async function countTextBytes(
  tx: Tx,
  objects: readonly { readonly model: ModelDefinition; readonly ids: ReadonlySet<number> }[],
): Promise<number> {
  const parameters = new Parameters();
  const sums = objects.flatMap(({ model, ids }) => {
    const length = textLength(model, ids.size);
    if (length === null || ids.size === 0) return [];
    return [
      `(SELECT coalesce(sum(${length}), 0) FROM ${model.table} ${rowAlias} WHERE ${rowAlias}.id = ANY (${parameters.add([...ids], 'bigint[]')}))`,
    ];
  });
  if (sums.length === 0) return 0;
  const { rows } = await tx.query<ByteCount>(prepared(`SELECT (${sums.join(' + ')})::text`, parameters.values));
  return Number(rows[0]?.[0] ?? 0);
}

/**
 * Returns the expression of the length of a row's texts, in bytes; null for a model without texts. Texts of other
 * objects that the row shows are included.
 *
 * @param count number of rows. A long list is read in slices, so that texts of other objects are in memory for the rows
 * of one slice at a time: they count in that proportion
 */
function textLength(model: ModelDefinition, count: number): Sql | null {
  const lengths = storedFields(model).flatMap(({ column: { name, type } }) => {
    const value = `${rowAlias}.${identifier(name)}`;
    if (type === 'text') return [`coalesce(octet_length(${value}), 0)`];
    // The size of a stored JSON value is that of its compressed form.
    return type === 'jsonb' ? [`coalesce(octet_length(${value}::text), 0)`] : [];
  });
  const part = Math.min(1, rowsOfSlice / count);
  for (const { foreignTextBytes } of Object.values(model.fields)) {
    if (foreignTextBytes !== undefined) lengths.push(`${part} * (${foreignTextBytes(rowAlias, model)})`);
  }
  return lengths.length === 0 ? null : `(${lengths.join(' + ')})::bigint`;
}
