import type { Tx } from '@switchboard/database';
import { errors } from '../../errors.js';
import type { Grant } from '../access.js';
import type { ModelDefinition } from '../declaration/model.js';
import { rowAlias } from '../read/shapes.js';
import { identifier, type Sql } from '../sql/pieces.js';
import { Parameters, prepared } from '../sql/statement.js';
import { storedFields } from './columns.js';

/** Maximum number of objects whose stored texts are not measured. A request may itself contain as much text. */
const maxUnmeasured = 10;

/** Number of rows of a long list that one statement reads. */
const rowsOfSlice = 500;

/** Row of a measuring statement: a number of bytes. */
type ByteCount = [bytes: string];

/** Returns true if the total length of the stored texts is limited for a list of `count` objects. */
export function isMeasured(count: number): boolean {
  return count > maxUnmeasured;
}

/** Objects of one model whose stored texts are measured. */
interface MeasuredList {
  readonly model: ModelDefinition;
  readonly ids: readonly (number | string)[];
  readonly grant: Grant | null;
  /** Maximum total length of the texts in bytes. */
  readonly limit: number;
}

/**
 * Refuses to change a list of objects whose stored texts are too long in total, because each text is read, and shown
 * several times. Reads only the lengths of the texts. Texts may still grow until the objects are locked. Texts of other
 * objects that the rows show are in memory for one slice of rows at a time, so that only the slice with the longest
 * ones counts.
 *
 * @throws AppError VALIDATION_FAILED
 */
export async function refuseLongTexts(tx: Tx, { model, ids, grant, limit }: MeasuredList): Promise<void> {
  const [own, foreign] = [sumOf(ownLengths(model)), sumOf(foreignLengths(model))];
  const ownBytes = own === null ? 0 : await measure(tx, own, { model, ids, grant });
  refuseAbove(limit, ownBytes);
  if (foreign === null) return;
  const ordered = ids.toSorted((one, other) => Number(one) - Number(other));
  for (let from = 0; from < ordered.length; from += rowsOfSlice) {
    const slice = ordered.slice(from, from + rowsOfSlice);
    refuseAbove(limit, ownBytes + (await measure(tx, foreign, { model, ids: slice, grant })));
  }
}

function refuseAbove(limit: number, bytes: number): void {
  if (bytes <= limit) return;
  const message = `Change objects with at most ${limit} bytes of text in one request (these have ${bytes}).`;
  throw errors.create('VALIDATION_FAILED', { fields: { body: { non_field_errors: [message] } } });
}

/** Returns the sum of an SQL expression over the rows that the user may change. */
async function measure(
  tx: Tx,
  length: Sql,
  { model, ids, grant }: Pick<MeasuredList, 'model' | 'ids' | 'grant'>,
): Promise<number> {
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
  return Number(rows[0]?.[0] ?? 0);
}

/** Returns the total length of the stored texts of a few objects of several models, in bytes. */
export async function countTextBytes(
  tx: Tx,
  objects: readonly { readonly model: ModelDefinition; readonly ids: ReadonlySet<number> }[],
): Promise<number> {
  const parameters = new Parameters();
  const sums = objects.flatMap(({ model, ids }) => {
    const length = sumOf([...ownLengths(model), ...foreignLengths(model)]);
    if (length === null || ids.size === 0) return [];
    return [
      `(SELECT coalesce(sum(${length}), 0) FROM ${model.table} ${rowAlias} WHERE ${rowAlias}.id = ANY (${parameters.add([...ids], 'bigint[]')}))`,
    ];
  });
  if (sums.length === 0) return 0;
  const { rows } = await tx.query<ByteCount>(prepared(`SELECT (${sums.join(' + ')})::text`, parameters.values));
  return Number(rows[0]?.[0] ?? 0);
}

/** Returns SQL expressions of the lengths of the texts that a row stores, in bytes. */
function ownLengths(model: ModelDefinition): Sql[] {
  return storedFields(model).flatMap(({ column: { name, type } }) => {
    const value = `${rowAlias}.${identifier(name)}`;
    if (type === 'text') return [`coalesce(octet_length(${value}), 0)`];
    // The size of a stored JSON value is that of its compressed form.
    return type === 'jsonb' ? [`coalesce(octet_length(${value}::text), 0)`] : [];
  });
}

/** Returns SQL expressions of the lengths of the texts of other objects that a row shows, in bytes. */
function foreignLengths(model: ModelDefinition): Sql[] {
  return Object.values(model.fields).flatMap(({ foreignTextBytes }) =>
    foreignTextBytes === undefined ? [] : [`(${foreignTextBytes(rowAlias, model)})`],
  );
}

function sumOf(lengths: readonly Sql[]): Sql | null {
  return lengths.length === 0 ? null : `(${lengths.join(' + ')})::bigint`;
}
