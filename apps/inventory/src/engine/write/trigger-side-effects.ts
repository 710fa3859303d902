import type { Tx } from '@switchboard/database';
import type { ModelDefinition, WrittenColumns } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import { prepared } from '../sql/statement.js';
import type { ObjectChange } from './change-sink.js';
import { maxBatchedRows } from '../read/page-rows.js';
import { rowAlias } from '../read/shapes.js';
import { loadLocked } from './load-locked.js';
import { runOnRowSlice, sliceRowsSql } from './slice-statement.js';
import type { LoadedRow, WriteStatements, WrittenRow } from './write-sql.js';

/** Objects of one model that triggers may change, locked and read before the write. */
export interface ChangedByTrigger {
  readonly model: ModelDefinition;
  readonly before: readonly LoadedRow[];
}

/** Locks and reads objects that triggers may change. Skips models whose changes are not recorded. */
export async function loadChangedByTrigger(
  tx: Tx,
  statements: WriteStatements,
  model: ModelDefinition,
  ids: readonly number[],
): Promise<ChangedByTrigger> {
  if (!model.events && !model.changeLog) return { model, before: [] };
  const before = await loadLocked(tx, statements, { model, ids, grant: null, withData: false, forDeletion: false });
  return { model, before };
}

/** Model and ids of some objects. */
export interface ModelIds {
  readonly model: ModelDefinition;
  readonly ids: readonly number[];
}

/**
 * Returns the objects that triggers change along with the rows of a write, as its model declares. Leaves out the
 * written rows themselves.
 */
export async function findTriggerSideEffects(
  tx: Tx,
  { model, registry }: { readonly model: ModelDefinition; readonly registry: Registry },
  writes: readonly WrittenColumns[],
): Promise<ModelIds[]> {
  const named = (await model.hooks.triggerSideEffects?.(tx, writes)) ?? [];
  return named.flatMap(({ type, ids }) => {
    const target = registry.find(type);
    const own = new Set(target === model ? writes.map(({ after }) => after['id']) : []);
    const others = ids.filter((id) => !own.has(id));
    return target === null || others.length === 0 ? [] : [{ model: target, ids: others }];
  });
}

/** Locks and reads the objects found by {@link findTriggerSideEffects}. */
export async function lockTriggerSideEffects(
  tx: Tx,
  statements: WriteStatements,
  context: { readonly model: ModelDefinition; readonly registry: Registry },
  writes: readonly WrittenColumns[],
): Promise<readonly ChangedByTrigger[]> {
  const found: ChangedByTrigger[] = [];
  for (const { model, ids } of await findTriggerSideEffects(tx, context, writes)) {
    found.push(await loadChangedByTrigger(tx, statements, model, ids));
  }
  return found;
}

/** Maximum number of rows that each load their own related objects. For more rows the objects are loaded in batches. */
const fewRows = 20;

interface ChangedRow {
  readonly id: number;
  readonly data: string;
  readonly postchange: string;
}

/** Reads objects after a write. If they are many, each related object and each list that several share is loaded once. */
async function readChanged(
  tx: Tx,
  statements: WriteStatements,
  model: ModelDefinition,
  ids: readonly number[],
): Promise<readonly ChangedRow[]> {
  if (ids.length > fewRows && ids.length <= maxBatchedRows) {
    return runOnRowSlice<ChangedRow>(
      tx,
      statements.shapes,
      { model, source: `${model.table} ${rowAlias} WHERE ${rowAlias}.id = ANY ($2::bigint[])`, values: {} },
      ({ full, snapshot }) =>
        ` SELECT ${rowAlias}.id, ${full} AS data, ${snapshot} AS postchange FROM ${sliceRowsSql} ORDER BY ${rowAlias}.id`,
      ['', ids],
    );
  }
  const { rows } = await tx.query<WrittenRow>(prepared(statements.reread(model), ['', ids]));
  return rows.map(([id, data, postchange]) => ({ id, data, postchange }));
}

/** Returns the changes that triggers made to objects since they were read. */
export async function changesSince(
  tx: Tx,
  statements: WriteStatements,
  { model, before }: ChangedByTrigger,
): Promise<ObjectChange[]> {
  if (before.length === 0) return [];
  const ids = before.map(([id]) => id);
  const rows = await readChanged(tx, statements, model, ids);
  const snapshots = new Map(before.map(([id, , snapshot]) => [id, snapshot]));
  return rows.flatMap(({ id, data, postchange }) => {
    const prechange = snapshots.get(id) ?? null;
    return prechange === postchange ? [] : [{ model, id, event: 'updated' as const, data, prechange, postchange }];
  });
}
