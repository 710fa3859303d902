import type { Tx } from '@switchboard/database';
import type { ObjectChangedByWrite, DerivedDataUpdater } from '../declaration/derived-data-hook.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ParsedRequestObject } from './parse-object-input.js';

/** Function that updates derived data, such as cable paths, after a deletion. */
export type DerivedDataUpdate = (tx: Tx) => Promise<void>;

/**
 * Finds the derived data, such as cable paths, that depends on the objects of a creation or update. Must be called
 * before the objects are written. Finds no data if the write does not affect derived data.
 */
export async function findDerivedDataBeforeWrite(
  tx: Tx,
  model: ModelDefinition,
  items: readonly ParsedRequestObject[],
): Promise<void> {
  const { derived } = model.hooks;
  if (derived === undefined) return;
  const concerned = items.filter(({ values }) => doesBodyAffectDerivedData(model, values));
  const changed = concerned.flatMap(({ id }) => (id === null ? [] : [{ type: model.type, id }]));
  const named = concerned.flatMap(({ values }) => derived.named?.(values) ?? []);
  if (changed.length + named.length > 0) await derived.data.before(tx, changed, named);
}

/** Updates the derived data, such as cable paths, that depends on objects after those objects were written. */
export async function updateDerivedDataAfterWrite(
  tx: Tx,
  model: ModelDefinition,
  written: readonly { readonly objectId: number; readonly item: ParsedRequestObject | undefined }[],
): Promise<void> {
  const { derived } = model.hooks;
  const changed = written.flatMap(({ objectId: id, item }) =>
    doesBodyAffectDerivedData(model, item?.values ?? {}) ? [{ type: model.type, id }] : [],
  );
  if (derived !== undefined && changed.length > 0) await derived.data.after(tx, changed);
}

/**
 * Returns true if a request body contains a field on which the derived data of the model depends, such as cable paths.
 */
export function doesBodyAffectDerivedData(
  { hooks: { derived } }: ModelDefinition,
  values: Readonly<Record<string, unknown>>,
): boolean {
  return derived?.fields.some((name) => Object.hasOwn(values, name)) === true;
}

/**
 * Finds the derived data, such as cable paths, that depends on the objects of a deletion request. Must be called before
 * the objects that refer to the requested objects are found and locked.
 */
export async function findDerivedDataBeforePlan(tx: Tx, model: ModelDefinition, ids: readonly number[]): Promise<void> {
  const objects = ids.map((id) => ({ type: model.type, id }));
  await model.hooks.derived?.data.before(tx, objects, []);
}

/**
 * Finds the derived data, such as cable paths, that depends on objects to be deleted. Returns the function that updates
 * the derived data after the deletion.
 */
export async function findDerivedDataBeforeDeletion(
  tx: Tx,
  rows: readonly { readonly model: ModelDefinition; readonly ids: Iterable<number> }[],
): Promise<DerivedDataUpdate> {
  const objects = new Map<DerivedDataUpdater, ObjectChangedByWrite[]>();
  for (const { model, ids } of rows) {
    const data = model.hooks.derived?.data;
    if (data === undefined) continue;
    const list = objects.get(data) ?? [];
    objects.set(data, list);
    for (const id of ids) list.push({ type: model.type, id });
  }
  for (const [data, list] of objects) if (list.length > 0) await data.before(tx, list, []);
  return async (later) => {
    for (const [data, list] of objects) if (list.length > 0) await data.after(later, []);
  };
}
