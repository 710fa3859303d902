import type { Tx } from '@switchboard/database';
import type { PermissionGrant } from '../object-access.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import { SqlParameters, createPreparedQuery } from '../sql/parameterized-statement.js';
import { readManyThroughIndexes } from './read-through-indexes.js';
import { isTextLimited, rejectLongTexts } from './stored-text-limit.js';
import type { LoadedRow, WriteStatements } from './write-statements.js';

/** Arguments for locking rows: the model, the ids, and the data to read. */
export interface LockAndLoadRequest {
  readonly model: ModelDefinition;
  readonly ids: readonly (number | string)[];
  /** Rows that the user may change; null for all rows. */
  readonly grant: PermissionGrant | null;
  readonly withData: boolean;
  /** True if the rows will be deleted, false if they will be updated. */
  readonly forDeletion: boolean;
  /** Maximum total length of the stored texts of a list of rows, in bytes; no limit if absent. */
  readonly maxTextBytes?: number | undefined;
}

/**
 * Locks rows, then reads them with a second statement. With a single statement, the row itself would be the current
 * version after a wait for its lock, but its subqueries (tags, related objects, permission conditions) would still show
 * the state before the wait. Both statements are sent in one round trip, unless texts are limited. In that case the
 * total length of the texts is checked after the rows are locked, because other transactions may change texts until
 * then.
 *
 * @throws AppError VALIDATION_FAILED if the texts are too long
 */
export async function lockAndLoadObjects(
  tx: Tx,
  statements: WriteStatements,
  lookup: LockAndLoadRequest,
): Promise<LoadedRow[]> {
  const { model, ids, withData } = lookup;
  await readManyThroughIndexes(tx, model, ids.length);
  const { parameters, condition } = lockStatementParameters(lookup);
  const load = createPreparedQuery(statements.loadRows(model, { condition, withData }), parameters.values);
  const [locked, { rows: loaded }] =
    sumMaxTextBytes(lookup) === null
      ? await Promise.all([lockRowsWithTextLimit(tx, statements, lookup), tx.query<LoadedRow>(load)])
      : [await lockRowsWithTextLimit(tx, statements, lookup), await tx.query<LoadedRow>(load)];
  // A row that entered the grant between the two statements is not locked.
  const own = new Set(locked);
  return loaded.filter(([id]) => own.has(id));
}

/** Number of rows that one statement reads. */
const lockedRowsPerStatement = 500;

/**
 * Locks rows for an update like {@link lockAndLoadObjects}, and reads their columns in batches, without the change-log form.
 */
export async function lockAndLoadColumns(
  tx: Tx,
  statements: WriteStatements,
  lookup: LockAndLoadRequest,
): Promise<LoadedRow[]> {
  await readManyThroughIndexes(tx, lookup.model, lookup.ids.length);
  const { parameters, condition } = lockStatementParameters(lookup);
  const [, , ...further] = parameters.values;
  const locked = await lockRowsWithTextLimit(tx, statements, lookup);
  const load = statements.loadRows(lookup.model, { condition, withData: false, withSnapshot: false });
  const loaded: LoadedRow[] = [];
  for (let from = 0; from < locked.length; from += lockedRowsPerStatement) {
    const { rows } = await tx.query<LoadedRow>(
      createPreparedQuery(load, ['', locked.slice(from, from + lockedRowsPerStatement), ...further]),
    );
    loaded.push(...rows);
  }
  return loaded;
}

/** Returns the parameters and the SQL condition of the statements that lock and read rows. */
function lockStatementParameters({ ids, grant }: Pick<LockAndLoadRequest, 'ids' | 'grant'>) {
  const parameters = new SqlParameters();
  parameters.add('');
  parameters.add(ids);
  const condition = grant === null || grant.where === null ? null : grant.where('t', parameters);
  return { parameters, condition };
}

/** Returns the maximum total length of the stored texts of rows, in bytes; null if they are not measured. */
function sumMaxTextBytes({ ids, maxTextBytes }: LockAndLoadRequest): number | null {
  return maxTextBytes !== undefined && isTextLimited(ids.length) ? maxTextBytes : null;
}

/**
 * Locks rows, then checks the total length of their texts. Sends both statements in one round trip. Returns the ids of
 * the locked rows.
 */
async function lockRowsWithTextLimit(
  tx: Tx,
  statements: WriteStatements,
  lookup: LockAndLoadRequest,
): Promise<number[]> {
  const { model, ids, grant, forDeletion } = lookup;
  const { parameters, condition } = lockStatementParameters(lookup);
  const lock = createPreparedQuery(statements.lockRows(model, { condition, forDeletion }), parameters.values);
  const limit = sumMaxTextBytes(lookup);
  const [{ rows: locked }] = await Promise.all([
    tx.query<[id: number]>(lock),
    limit === null ? null : rejectLongTexts(tx, { model, ids, grant, limit }),
  ]);
  return locked.map(([id]) => id);
}

/** Locks rows for deletion like {@link lockAndLoadObjects}. Returns only their ids and entity tags. */
export async function lockAndListIds(
  tx: Tx,
  statements: WriteStatements,
  lookup: Pick<LockAndLoadRequest, 'model' | 'ids' | 'grant'>,
): Promise<[id: number, entityTag: string | null][]> {
  const { model, ids } = lookup;
  await readManyThroughIndexes(tx, model, ids.length);
  const { parameters, condition } = lockStatementParameters(lookup);
  const lock = statements.lockRows(model, { condition, forDeletion: true });
  const [{ rows: locked }, { rows: found }] = await Promise.all([
    tx.query<[id: number]>(createPreparedQuery(lock, parameters.values)),
    tx.query<[id: number, entityTag: string | null]>(
      createPreparedQuery(statements.loadEntityTags(model, condition), parameters.values),
    ),
  ]);
  const own = new Set(locked.map(([id]) => id));
  return found.filter(([id]) => own.has(id));
}
