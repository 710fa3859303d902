import type { Tx } from '@switchboard/database';
import type { ExtraDeleteBlockers, ModelDefinition } from '../declaration/model.js';
import type { Incoming, Registry } from '../declaration/registry.js';
import { literal, type Sql } from '../sql/pieces.js';

/** Objects of one model, by id. */
export interface ModelRows {
  readonly model: ModelDefinition;
  readonly ids: Set<number>;
}

/** A reference that is emptied because its target is deleted. */
export interface Emptied {
  readonly reference: Incoming;
  readonly ids: Set<number>;
}

/** All objects touched by a deletion. */
export interface DeletionPlan {
  /** Rows to delete: the requested objects first, then cascades. In a tree descendants come first. */
  readonly deleted: ReadonlyMap<string, ModelRows>;
  readonly emptied: readonly Emptied[];
  /** Objects that refuse to lose what they refer to. */
  readonly blockers: ReadonlyMap<string, ModelRows>;
}

interface Reached {
  readonly reference: Incoming;
  /** The referenced model. */
  readonly model: ModelDefinition;
  /** Objects with such a reference, and its target. */
  readonly rows: readonly { readonly id: number; readonly target: number }[];
}

/**
 * Follows references from the objects to be deleted, which the caller has locked: cascades are followed further, level
 * by level, with one statement a level, until a level is empty. An object that protects is no blocker when it is
 * deleted as well.
 *
 * A statement also locks what it finds, before the next one looks for what refers to that. Whatever is made to refer to
 * an object takes a shared lock on its row (a foreign key takes it, `checkExistence` takes it for generic references).
 * It therefore commits before the object is locked, and the next statement finds it; or it waits for the deletion, and
 * is refused.
 *
 * @returns null when more than `most` rows belong to the plan. A statement reads at most one row more of each
 * reference.
 */
export async function planDeletion(
  tx: Tx,
  registry: Registry,
  { model, ids, most }: { readonly model: ModelDefinition; readonly ids: readonly number[]; readonly most: number },
): Promise<DeletionPlan | null> {
  const deleted = new Map<string, ModelRows>([[model.type, { model, ids: new Set(ids) }]]);
  const emptied: Emptied[] = [];
  const protecting = new Map<string, ModelRows>();
  const parents = new Map<ModelDefinition, Map<number, number>>();
  let frontier: ModelRows[] = [{ model, ids: new Set(ids) }];
  let size = ids.length;
  while (frontier.length > 0) {
    const next = new Map<string, ModelRows>();
    const reached = await referringRows(tx, registry, frontier, most);
    size += reached.reduce((sum, { rows }) => sum + rows.length, 0);
    if (size > most) return null;
    for (const { reference, model: referred, rows } of reached) {
      const found = rows.map(({ id }) => id);
      if (reference.onDelete === 'set_null') emptied.push({ reference, ids: new Set(found) });
      else if (reference.onDelete === 'protect') collect(protecting, reference.model, found);
      else {
        if (reference.model === referred) noteParents(parents, referred, rows);
        const known = deleted.get(reference.model.type)?.ids;
        const fresh = found.filter((id) => known?.has(id) !== true);
        collect(deleted, reference.model, fresh);
        if (fresh.length > 0) collect(next, reference.model, fresh);
      }
    }
    frontier = [...next.values()];
  }
  for (const rows of deleted.values()) {
    for (const blocker of rows.model.extraDeleteBlockers) await collectExtra(tx, registry, protecting, rows, blocker);
  }
  return {
    deleted: new Map([...deleted].map(([type, rows]) => [type, deepestFirst(rows, parents.get(rows.model))])),
    emptied: emptied.map(({ reference, ids: rows }) => ({
      reference,
      ids: without(rows, deleted.get(reference.model.type)),
    })),
    blockers: new Map(
      [...protecting].flatMap(([type, rows]) => {
        const left = without(rows.ids, deleted.get(type));
        return left.size === 0 ? [] : [[type, { model: rows.model, ids: left }] as const];
      }),
    ),
  };
}

async function collectExtra(
  tx: Tx,
  registry: Registry,
  into: Map<string, ModelRows>,
  { ids }: ModelRows,
  { type, where }: ExtraDeleteBlockers,
): Promise<void> {
  const model = registry.find(type);
  if (model === null) return;
  const { rows } = await tx.query<{ id: number }>(
    `SELECT b.id FROM ${model.table} b WHERE ${where('b', '$1::bigint[]')} ORDER BY b.id`,
    [[...ids]],
  );
  collect(
    into,
    model,
    rows.map(({ id }) => id),
  );
}

/** Lock modes for objects that refer to deleted ones. Protecting references only block the deletion. */
export const referenceLocks: Readonly<Record<Incoming['onDelete'], Sql>> = {
  cascade: 'FOR UPDATE',
  set_null: 'FOR NO KEY UPDATE',
  protect: '',
};

/**
 * Orders references of objects that stay before those of objects that go. The latter may refer to the former as well, as
 * a termination does to a cable and to its end, and a deletion of the former locks them in this order.
 */
export function keptFirst(one: Incoming, other: Incoming): number {
  return Number(one.onDelete === 'cascade') - Number(other.onDelete === 'cascade');
}

async function referringRows(
  tx: Tx,
  registry: Registry,
  frontier: readonly ModelRows[],
  most: number,
): Promise<Reached[]> {
  const references: Omit<Reached, 'rows'>[] = [];
  const values: unknown[] = [];
  const branches: string[] = [];
  for (const { model, ids } of frontier) {
    for (const reference of registry.incoming(model.type).toSorted(keptFirst)) {
      values.push([...ids]);
      const sameType = reference.typeColumn === null ? '' : ` AND ${reference.typeColumn} = ${literal(model.type)}`;
      // A locking clause cannot stand beside UNION ALL, hence the subquery. The sum keeps the planner from walking the
      // table in the order of ids for the sake of the limit.
      branches.push(
        `SELECT ${references.length} AS reference, found.* FROM (SELECT id, ${reference.idColumn} AS target
          FROM ${reference.model.table} WHERE ${reference.idColumn} = ANY ($${values.length}::bigint[])${sameType}
          ORDER BY id + 0 LIMIT ${most + 1} ${referenceLocks[reference.onDelete]}) found`,
      );
      references.push({ reference, model });
    }
  }
  if (branches.length === 0) return [];
  const { rows } = await tx.query<{ reference: number; id: number; target: number }>(
    branches.join(' UNION ALL '),
    values,
  );
  const found = references.map((): { id: number; target: number }[] => []);
  for (const { reference, id, target } of rows) found[reference]?.push({ id, target });
  return references
    .map((reached, index) => ({ ...reached, rows: found[index] ?? [] }))
    .filter(({ rows: own }) => own.length > 0);
}

function noteParents(
  parents: Map<ModelDefinition, Map<number, number>>,
  model: ModelDefinition,
  rows: Reached['rows'],
): void {
  const known = parents.get(model) ?? new Map<number, number>();
  for (const { id, target } of rows) known.set(id, target);
  parents.set(model, known);
}

/** Children before their parents (docs/contract/inventory.md 4), otherwise in the order given. */
function deepestFirst({ model, ids }: ModelRows, parents: ReadonlyMap<number, number> = new Map()): ModelRows {
  const depths = new Map<number, number>();
  for (const id of ids) {
    let depth = 0;
    // The bound is for a tree that is none any more: an ancestor of itself.
    for (let above = parents.get(id); above !== undefined && depth < ids.size; above = parents.get(above)) depth += 1;
    depths.set(id, depth);
  }
  const depthOf = (id: number): number => depths.get(id) ?? 0;
  return { model, ids: new Set([...ids].toSorted((left, right) => depthOf(right) - depthOf(left))) };
}

function collect(into: Map<string, ModelRows>, model: ModelDefinition, ids: readonly number[]): void {
  const rows = into.get(model.type) ?? { model, ids: new Set<number>() };
  ids.forEach((id) => rows.ids.add(id));
  if (rows.ids.size > 0) into.set(model.type, rows);
}

function without(ids: ReadonlySet<number>, removed: ModelRows | undefined): Set<number> {
  return new Set([...ids].filter((id) => removed?.ids.has(id) !== true));
}
