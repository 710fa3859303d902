import type { Tx } from '@switchboard/database';
import type { PermissionGrant } from '../object-access.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import { SqlParameters, createPreparedQuery } from '../sql/parameterized-statement.js';
import { forceLargeWriteIndexReads } from './force-index-reads.js';
import { isTotalTextLengthLimited, rejectLongTexts } from './stored-text-limit.js';
import type { RowLoadedBeforeChange, RowWriteStatements } from './write-statements.js';

/** Arguments for locking rows: the model and the ids of the rows, and the data to read. */
export interface LockAndLoadRequest {
  readonly model: ModelDefinition;
  readonly ids: readonly (number | string)[];
  /** Rows of the model that the user may change. Null if the user may change all rows. */
  readonly grant: PermissionGrant | null;
  readonly withData: boolean;
  /** True if the rows will be deleted, false if they will be updated. */
  readonly forDeletion: boolean;
  /**
   * Maximum total length, in bytes, of the texts stored in the rows to read. Without this property, the length is not
   * limited.
   */
  readonly maxTextBytes?: number | undefined;
}

/**
 * Locks rows, then reads them with a second statement. In a single statement that waits for a row lock, the row would
 * be current after the wait. The subqueries for tags, related objects and permissions would still show the state before
 * the wait. Both statements are sent in one round trip, unless the length of texts is limited. In that case the total
 * length of the texts is checked after the rows are locked. Until then, other transactions may change the texts.
 *
 * @throws ApplicationError VALIDATION_FAILED if the texts are too long
 */
export async function lockAndLoadObjects(
  tx: Tx,
  statements: RowWriteStatements,
  lookup: LockAndLoadRequest,
): Promise<RowLoadedBeforeChange[]> {
  const { model, ids, withData } = lookup;
  await forceLargeWriteIndexReads(tx, model, ids.length);
  const { parameters, condition } = createRowLockStatementParameters(lookup);
  const load = createPreparedQuery(
    statements.createRowLoadStatement(model, { condition, withData }),
    parameters.values,
  );
  const [locked, { rows: loaded }] =
    sumMaxRowTextBytes(lookup) === null
      ? await Promise.all([lockRowsWithTextLimit(tx, statements, lookup), tx.query<RowLoadedBeforeChange>(load)])
      : [await lockRowsWithTextLimit(tx, statements, lookup), await tx.query<RowLoadedBeforeChange>(load)];
  // A row that entered the grant between the two statements is not locked.
  const own = new Set(locked);
  return loaded.filter(([id]) => own.has(id));
}

/** Number of locked rows that one SQL statement reads. */
const lockedRowsPerStatement = 500;

/**
 * Locks rows for an update like {@link lockAndLoadObjects}. Reads the columns of the rows in batches, but not the form
 * of the rows for the change log.
 */
export async function lockAndLoadColumns(
  tx: Tx,
  statements: RowWriteStatements,
  lookup: LockAndLoadRequest,
): Promise<RowLoadedBeforeChange[]> {
  await forceLargeWriteIndexReads(tx, lookup.model, lookup.ids.length);
  const { parameters, condition } = createRowLockStatementParameters(lookup);
  const [, , ...further] = parameters.values;
  const locked = await lockRowsWithTextLimit(tx, statements, lookup);
  const load = statements.createRowLoadStatement(lookup.model, { condition, withData: false, withSnapshot: false });
  const loaded: RowLoadedBeforeChange[] = [];
  for (let from = 0; from < locked.length; from += lockedRowsPerStatement) {
    const { rows } = await tx.query<RowLoadedBeforeChange>(
      createPreparedQuery(load, ['', locked.slice(from, from + lockedRowsPerStatement), ...further]),
    );
    loaded.push(...rows);
  }
  return loaded;
}

/** Returns the parameters and the SQL condition of the statements that lock and read rows. */
function createRowLockStatementParameters({ ids, grant }: Pick<LockAndLoadRequest, 'ids' | 'grant'>) {
  const parameters = new SqlParameters();
  parameters.add('');
  parameters.add(ids);
  const condition = grant === null || grant.where === null ? null : grant.where('t', parameters);
  return { parameters, condition };
}

/**
 * Returns the maximum total length, in bytes, of the texts stored in rows. Returns null if the texts are not measured.
 */
function sumMaxRowTextBytes({ ids, maxTextBytes }: LockAndLoadRequest): number | null {
  return maxTextBytes !== undefined && isTotalTextLengthLimited(ids.length) ? maxTextBytes : null;
}

/**
 * Locks rows, then checks the total length of the texts in the rows. Sends both statements in one round trip. Returns
 * the ids of the locked rows.
 */
async function lockRowsWithTextLimit(
  tx: Tx,
  statements: RowWriteStatements,
  lookup: LockAndLoadRequest,
): Promise<number[]> {
  const { model, ids, grant, forDeletion } = lookup;
  const { parameters, condition } = createRowLockStatementParameters(lookup);
  const lock = createPreparedQuery(
    statements.createRowLockStatement(model, { condition, forDeletion }),
    parameters.values,
  );
  const limit = sumMaxRowTextBytes(lookup);
  const [{ rows: locked }] = await Promise.all([
    tx.query<[id: number]>(lock),
    limit === null ? null : rejectLongTexts(tx, { model, ids, grant, limit }),
  ]);
  return locked.map(([id]) => id);
}

/** Locks rows for deletion like {@link lockAndLoadObjects}. Returns only the ids and entity tags of the rows. */
export async function lockRowsAndListIds(
  tx: Tx,
  statements: RowWriteStatements,
  lookup: Pick<LockAndLoadRequest, 'model' | 'ids' | 'grant'>,
): Promise<[id: number, entityTag: string | null][]> {
  const { model, ids } = lookup;
  await forceLargeWriteIndexReads(tx, model, ids.length);
  const { parameters, condition } = createRowLockStatementParameters(lookup);
  const lock = statements.createRowLockStatement(model, { condition, forDeletion: true });
  const [{ rows: locked }, { rows: found }] = await Promise.all([
    tx.query<[id: number]>(createPreparedQuery(lock, parameters.values)),
    tx.query<[id: number, entityTag: string | null]>(
      createPreparedQuery(statements.createEntityTagLoadStatement(model, condition), parameters.values),
    ),
  ]);
  const own = new Set(locked.map(([id]) => id));
  return found.filter(([id]) => own.has(id));
}
