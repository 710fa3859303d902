import type { Tx } from '@switchboard/database';
import type { Grant } from '../access.js';
import type { ModelDefinition } from '../declaration/model.js';
import { Parameters, prepared } from '../sql/statement.js';
import type { LoadedRow, WriteStatements } from './write-sql.js';

/** The rows to lock, and what to read of them. */
export interface LockedLoad {
  readonly model: ModelDefinition;
  readonly ids: readonly (number | string)[];
  /** Rows outside of it are left out; null for no restriction. */
  readonly grant: Grant | null;
  readonly withData: boolean;
  /** True for rows that will be deleted, false for rows that will be updated. */
  readonly forDeletion: boolean;
}

/**
 * Locks rows, then reads them with a second statement. A single statement would not do: after waiting for a lock it
 * has the new version of the row itself, but its subqueries (tags, related objects, conditions of permissions) still
 * see the database as it was before the wait. Both statements leave in one round trip.
 */
export async function loadLocked(
  tx: Tx,
  statements: WriteStatements,
  { model, ids, grant, withData, forDeletion }: LockedLoad,
): Promise<LoadedRow[]> {
  const parameters = new Parameters();
  parameters.add('');
  parameters.add(ids);
  const condition = grant === null || grant.where === null ? null : grant.where('t', parameters);
  const [{ rows: locked }, { rows: loaded }] = await Promise.all([
    tx.query<[id: number]>(prepared(statements.lock(model, { condition, forDeletion }), parameters.values)),
    tx.query<LoadedRow>(prepared(statements.load(model, { condition, withData }), parameters.values)),
  ]);
  // A row that entered the grant between the two statements is not locked.
  const own = new Set(locked.map(([id]) => id));
  return loaded.filter(([id]) => own.has(id));
}

/** Rows are read in slices of so many. */
const sliceSize = 500;

/** Locks rows for an update as {@link loadLocked} does, and reads them in slices, without their change-log form. */
export async function loadLockedColumns(
  tx: Tx,
  statements: WriteStatements,
  { model, ids, grant }: Pick<LockedLoad, 'model' | 'ids' | 'grant'>,
): Promise<LoadedRow[]> {
  const parameters = new Parameters();
  parameters.add('');
  parameters.add(ids);
  const condition = grant === null || grant.where === null ? null : grant.where('t', parameters);
  const [, , ...further] = parameters.values;
  const lock = statements.lock(model, { condition, forDeletion: false });
  const { rows: locked } = await tx.query<[id: number]>(prepared(lock, parameters.values));
  const load = statements.load(model, { condition, withData: false, withSnapshot: false });
  const loaded: LoadedRow[] = [];
  for (let from = 0; from < locked.length; from += sliceSize) {
    const slice = locked.slice(from, from + sliceSize).map(([id]) => id);
    const { rows } = await tx.query<LoadedRow>(prepared(load, ['', slice, ...further]));
    loaded.push(...rows);
  }
  return loaded;
}

/** Locks rows for deletion as {@link loadLocked} does, and returns their ids and entity tags alone. */
export async function identifyLocked(
  tx: Tx,
  statements: WriteStatements,
  { model, ids, grant }: Pick<LockedLoad, 'model' | 'ids' | 'grant'>,
): Promise<[id: number, entityTag: string | null][]> {
  const parameters = new Parameters();
  parameters.add('');
  parameters.add(ids);
  const condition = grant === null || grant.where === null ? null : grant.where('t', parameters);
  const lock = statements.lock(model, { condition, forDeletion: true });
  const [{ rows: locked }, { rows: found }] = await Promise.all([
    tx.query<[id: number]>(prepared(lock, parameters.values)),
    tx.query<[id: number, entityTag: string | null]>(
      prepared(statements.identify(model, condition), parameters.values),
    ),
  ]);
  const own = new Set(locked.map(([id]) => id));
  return found.filter(([id]) => own.has(id));
}
