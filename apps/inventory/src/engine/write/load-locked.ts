import type { Tx } from '@switchboard/database';
import type { Grant } from '../access.js';
import type { ModelDefinition } from '../declaration/model.js';
import { Parameters, prepared } from '../sql/statement.js';
import { isMeasured, refuseLongTexts } from './text-limit.js';
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
  /** Largest length of the stored texts of a list, in bytes; no limit when absent. */
  readonly mostTextBytes?: number | undefined;
}

/**
 * Locks rows, then reads them with a second statement. A single statement would not do: after waiting for a lock it
 * has the new version of the row itself, but its subqueries (tags, related objects, conditions of permissions) still
 * see the database as it was before the wait. Both statements leave in one round trip, unless texts are limited: then
 * their length is checked after the lock, because other transactions may change it until then.
 *
 * @throws AppError VALIDATION_FAILED when the texts are too long
 */
export async function loadLocked(tx: Tx, statements: WriteStatements, lookup: LockedLoad): Promise<LoadedRow[]> {
  const { model, withData } = lookup;
  const { parameters, condition } = parametersOf(lookup);
  const load = prepared(statements.load(model, { condition, withData }), parameters.values);
  const [locked, { rows: loaded }] =
    textLimit(lookup) === null
      ? await Promise.all([lockRows(tx, statements, lookup), tx.query<LoadedRow>(load)])
      : [await lockRows(tx, statements, lookup), await tx.query<LoadedRow>(load)];
  // A row that entered the grant between the two statements is not locked.
  const own = new Set(locked);
  return loaded.filter(([id]) => own.has(id));
}

/** Rows are read in slices of so many. */
const sliceSize = 500;

/** Locks rows for an update as {@link loadLocked} does, and reads them in slices, without their change-log form. */
export async function loadLockedColumns(tx: Tx, statements: WriteStatements, lookup: LockedLoad): Promise<LoadedRow[]> {
  const { parameters, condition } = parametersOf(lookup);
  const [, , ...further] = parameters.values;
  const locked = await lockRows(tx, statements, lookup);
  const load = statements.load(lookup.model, { condition, withData: false, withSnapshot: false });
  const loaded: LoadedRow[] = [];
  for (let from = 0; from < locked.length; from += sliceSize) {
    const { rows } = await tx.query<LoadedRow>(prepared(load, ['', locked.slice(from, from + sliceSize), ...further]));
    loaded.push(...rows);
  }
  return loaded;
}

/** Values and condition of the statements that lock and read rows. */
function parametersOf({ ids, grant }: Pick<LockedLoad, 'ids' | 'grant'>) {
  const parameters = new Parameters();
  parameters.add('');
  parameters.add(ids);
  const condition = grant === null || grant.where === null ? null : grant.where('t', parameters);
  return { parameters, condition };
}

/** Limit of the texts, in bytes; null where they are not measured. */
function textLimit({ ids, mostTextBytes }: LockedLoad): number | null {
  return mostTextBytes !== undefined && isMeasured(ids.length) ? mostTextBytes : null;
}

/** Locks rows, then checks the length of their texts. Both statements leave in one round trip. Returns the ids. */
async function lockRows(tx: Tx, statements: WriteStatements, lookup: LockedLoad): Promise<number[]> {
  const { model, ids, grant, forDeletion } = lookup;
  const { parameters, condition } = parametersOf(lookup);
  const lock = prepared(statements.lock(model, { condition, forDeletion }), parameters.values);
  const limit = textLimit(lookup);
  const [{ rows: locked }] = await Promise.all([
    tx.query<[id: number]>(lock),
    limit === null ? null : refuseLongTexts(tx, { model, ids, grant, limit }),
  ]);
  return locked.map(([id]) => id);
}

/** Locks rows for deletion as {@link loadLocked} does, and returns their ids and entity tags alone. */
export async function identifyLocked(
  tx: Tx,
  statements: WriteStatements,
  lookup: Pick<LockedLoad, 'model' | 'ids' | 'grant'>,
): Promise<[id: number, entityTag: string | null][]> {
  const { model } = lookup;
  const { parameters, condition } = parametersOf(lookup);
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
