import type { Tx } from '@switchboard/database';
import { inventoryErrors } from '../../errors.js';
import type { PermissionGrant } from '../object-access.js';
import type { ReferencedTextSource } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import { objectRowAlias } from '../read/object-json-sql.js';
import { quoteSqlIdentifier, type SqlText } from '../sql/json-text-sql.js';
import { SqlParameters, createPreparedQuery } from '../sql/parameterized-statement.js';
import { listFieldsWithColumn } from './stored-columns-of-models.js';

/**
 * Maximum number of objects of a request whose stored texts are not measured. The texts of so many objects are no
 * longer than the text that a single request body may contain.
 */
const maxObjectsWithUnmeasuredTexts = 10;

/** Number of rows of a long list whose texts one SQL statement measures. */
const rowsMeasuredPerStatement = 500;

/** Result row of a statement that measures texts: a number of bytes. */
type ByteCountRow = [bytes: string];

/** Returns true if a write of `count` objects limits the total length of the objects' texts. */
export function isTotalTextLengthLimited(count: number): boolean {
  return count > maxObjectsWithUnmeasuredTexts;
}

/** Objects of one model whose stored texts are measured. */
interface ObjectsWithUnmeasuredTexts {
  readonly model: ModelDefinition;
  readonly ids: readonly (number | string)[];
  readonly grant: PermissionGrant | null;
  /** Maximum total length, in bytes, of the texts of the objects to measure. */
  readonly limit: number;
}

/**
 * Rejects a change of a list of objects whose stored texts are too long in total. A change would read and send each
 * text several times. To check the total, the function reads only the lengths of the texts. Other transactions may
 * still change the texts until the objects are locked.
 *
 * @throws ApplicationError VALIDATION_FAILED
 */
export async function rejectLongTexts(tx: Tx, { model, ids, grant, limit }: ObjectsWithUnmeasuredTexts): Promise<void> {
  const own = createSumOfLengthsSql(createStoredTextLengthsSql(model));
  const bytes = own === null ? 0 : await createSumOverRowsSql(tx, own, { model, ids, grant });
  if (bytes <= limit) return;
  throw createTextLimitError(
    `Change objects with at most ${limit} bytes of text in one request (these have ${bytes}).`,
  );
}

/**
 * Returns true if a write of `count` objects must call {@link rejectLongReferencedTexts} after the write. The call is
 * necessary if the objects can show texts of other objects, such as config contexts.
 */
export function canShowOtherObjectsTexts(model: ModelDefinition, count: number, areNew = false): boolean {
  return (
    isTotalTextLengthLimited(count) &&
    listReferencedTextSources(model).some(({ isShownByNew }) => isShownByNew || !areNew)
  );
}

/** Written objects of one model whose texts are measured. The objects are in memory all at once or in batches. */
interface WrittenObjectsToMeasure extends Pick<ObjectsWithUnmeasuredTexts, 'model' | 'ids' | 'limit'> {
  readonly inMemory: 'together' | 'in slices';
}

/**
 * Rejects a list of written objects if the texts that they show of other objects are too long. Must be called after the
 * write, because other transactions may change these texts until then. Must be called before the written objects are
 * read. If only one batch of objects is in memory at a time, the limit applies to the batch with the longest texts.
 *
 * @throws ApplicationError VALIDATION_FAILED
 */
export async function rejectLongReferencedTexts(
  tx: Tx,
  { model, ids, limit, inMemory }: WrittenObjectsToMeasure,
): Promise<void> {
  if (!canShowOtherObjectsTexts(model, ids.length) || !(await hasTextsOfReferencedObjects(tx, model))) return;
  const ordered = ids.toSorted((one, other) => Number(one) - Number(other));
  const length = inMemory === 'together' ? ordered.length : rowsMeasuredPerStatement;
  for (let from = 0; from < ordered.length; from += length) {
    const slice = ordered.slice(from, from + length);
    if ((await measureTextsOfReferencedObjects(tx, model, { ids: slice, limit })) <= limit) continue;
    throw createTextLimitError(
      `Write fewer objects in one request: these show more than ${limit} bytes of other objects, such as config contexts.`,
    );
  }
}

/** Returns true if the database contains texts of other objects that objects of the model can show. */
async function hasTextsOfReferencedObjects(tx: Tx, model: ModelDefinition): Promise<boolean> {
  const conditions = listReferencedTextSources(model).map(({ exist }) => exist);
  const { rows } = await tx.query<[exist: boolean]>(createPreparedQuery(`SELECT ${conditions.join(' OR ')}`, []));
  return rows[0]?.[0] === true;
}

function createTextLimitError(message: string): Error {
  return inventoryErrors.create('VALIDATION_FAILED', { fields: { body: { non_field_errors: [message] } } });
}

/** Returns the sum of an SQL expression over given rows of a model. Omits rows that the user may not change. */
async function createSumOverRowsSql(
  tx: Tx,
  length: SqlText,
  { model, ids, grant }: Pick<ObjectsWithUnmeasuredTexts, 'model' | 'ids' | 'grant'>,
): Promise<number> {
  const parameters = new SqlParameters();
  const requested = parameters.add(ids, 'bigint[]');
  const condition = grant === null || grant.where === null ? '' : ` AND (${grant.where(objectRowAlias, parameters)})`;
  const { rows } = await tx.query<ByteCountRow>(
    createPreparedQuery(
      `SELECT coalesce(sum(${length}), 0)::text FROM ${model.table} ${objectRowAlias}
        WHERE ${objectRowAlias}.id = ANY (${requested})${condition}`,
      parameters.values,
    ),
  );
  return Number(rows[0]?.[0] ?? 0);
}

/**
 * Returns the total length, in bytes, of the texts that objects show of other objects. Stops measuring when the length
 * exceeds the limit.
 */
async function measureTextsOfReferencedObjects(
  tx: Tx,
  model: ModelDefinition,
  { ids, limit }: Pick<ObjectsWithUnmeasuredTexts, 'ids' | 'limit'>,
): Promise<number> {
  const length = createSumOfLengthsSql(createReferencedTextLengthsSql(model));
  if (length === null) return 0;
  const rowsTogether = Math.min(...listReferencedTextSources(model).map((texts) => texts.rowsTogether));
  let bytes = 0;
  for (let from = 0; from < ids.length && bytes <= limit; from += rowsTogether) {
    bytes += await createSumOverRowsSql(tx, length, { model, ids: ids.slice(from, from + rowsTogether), grant: null });
  }
  return bytes;
}

/** Returns true if the stored texts of given objects of several models exceed a limit in bytes. */
export async function haveLongStoredTexts(
  tx: Tx,
  objects: readonly { readonly model: ModelDefinition; readonly ids: ReadonlySet<number> }[],
  limit: number,
): Promise<boolean> {
  const parameters = new SqlParameters();
  const sums = objects.flatMap(({ model, ids }) => {
    const length = createSumOfLengthsSql(createStoredTextLengthsSql(model));
    if (length === null || ids.size === 0) return [];
    return [
      `(SELECT coalesce(sum(${length}), 0) FROM ${model.table} ${objectRowAlias} WHERE ${objectRowAlias}.id = ANY (${parameters.add([...ids], 'bigint[]')}))`,
    ];
  });
  if (sums.length === 0) return false;
  const { rows } = await tx.query<ByteCountRow>(
    createPreparedQuery(`SELECT (${sums.join(' + ')})::text`, parameters.values),
  );
  let bytes = Number(rows[0]?.[0] ?? 0);
  for (const { model, ids } of objects) {
    if (bytes > limit) return true;
    bytes += await measureTextsOfReferencedObjects(tx, model, { ids: [...ids], limit: limit - bytes });
  }
  return bytes > limit;
}

/** Returns SQL expressions of the lengths, in bytes, of the texts that one row stores. */
function createStoredTextLengthsSql(model: ModelDefinition): SqlText[] {
  return listFieldsWithColumn(model).flatMap(({ column: { name, type } }) => {
    const value = `${objectRowAlias}.${quoteSqlIdentifier(name)}`;
    if (type === 'text') return [`coalesce(octet_length(${value}), 0)`];
    // The size of a stored JSON value is that of its compressed form.
    return type === 'jsonb' ? [`coalesce(octet_length(${value}::text), 0)`] : [];
  });
}

function listReferencedTextSources(model: ModelDefinition): ReferencedTextSource[] {
  return Object.values(model.fields).flatMap(({ foreignTexts }) => foreignTexts ?? []);
}

/** Returns SQL expressions of the lengths, in bytes, of the texts that the object of a row shows of other objects. */
function createReferencedTextLengthsSql(model: ModelDefinition): SqlText[] {
  return listReferencedTextSources(model).map(({ bytes }) => `(${bytes(objectRowAlias, model.type)})`);
}

function createSumOfLengthsSql(lengths: readonly SqlText[]): SqlText | null {
  return lengths.length === 0 ? null : `(${lengths.join(' + ')})::bigint`;
}
