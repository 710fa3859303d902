import type { Tx } from '@switchboard/database';
import type { ModelDefinition } from '../declaration/model.js';
import type { Incoming, Registry } from '../declaration/registry.js';
import { literal } from '../sql/pieces.js';

/** Objects of one model, by id. */
export interface ModelRows {
  readonly model: ModelDefinition;
  readonly ids: Set<number>;
}

/** A reference that is emptied because what it points to goes. */
export interface Emptied {
  readonly reference: Incoming;
  readonly ids: Set<number>;
}

/** Everything that a deletion touches. */
export interface DeletionPlan {
  /** What is deleted, the objects asked for first, then what goes with them. */
  readonly deleted: ReadonlyMap<string, ModelRows>;
  readonly emptied: readonly Emptied[];
  /** Objects that refuse to lose what they refer to. */
  readonly blockers: ReadonlyMap<string, ModelRows>;
}

interface Reached {
  readonly reference: Incoming;
  readonly ids: readonly number[];
}

/**
 * Follows references from the objects to be deleted: cascades are followed further, level by level, with one statement
 * a level. An object that protects is no blocker when it is deleted as well.
 */
export async function planDeletion(
  tx: Tx,
  registry: Registry,
  model: ModelDefinition,
  ids: readonly number[],
): Promise<DeletionPlan> {
  const deleted = new Map<string, ModelRows>([[model.type, { model, ids: new Set(ids) }]]);
  const emptied: Emptied[] = [];
  const protecting = new Map<string, ModelRows>();
  let frontier: ModelRows[] = [{ model, ids: new Set(ids) }];
  while (frontier.length > 0) {
    const next = new Map<string, ModelRows>();
    for (const { reference, ids: found } of await referringRows(tx, registry, frontier)) {
      if (reference.onDelete === 'set_null') emptied.push({ reference, ids: new Set(found) });
      else if (reference.onDelete === 'protect') collect(protecting, reference.model, found);
      else {
        const known = deleted.get(reference.model.type)?.ids;
        const fresh = found.filter((id) => known?.has(id) !== true);
        collect(deleted, reference.model, fresh);
        if (fresh.length > 0) collect(next, reference.model, fresh);
      }
    }
    frontier = [...next.values()];
  }
  return {
    deleted,
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

async function referringRows(tx: Tx, registry: Registry, frontier: readonly ModelRows[]): Promise<Reached[]> {
  const references: Incoming[] = [];
  const values: unknown[] = [];
  const branches: string[] = [];
  for (const { model, ids } of frontier) {
    for (const reference of registry.incoming(model.type)) {
      values.push([...ids]);
      const sameType = reference.typeColumn === null ? '' : ` AND ${reference.typeColumn} = ${literal(model.type)}`;
      branches.push(
        `SELECT ${references.length} AS reference, id FROM ${reference.model.table}
          WHERE ${reference.idColumn} = ANY ($${values.length}::bigint[])${sameType}`,
      );
      references.push(reference);
    }
  }
  if (branches.length === 0) return [];
  const { rows } = await tx.query<{ reference: number; id: number }>(branches.join(' UNION ALL '), values);
  return references.flatMap((reference, index) => {
    const found = rows.filter((row) => row.reference === index).map(({ id }) => id);
    return found.length === 0 ? [] : [{ reference, ids: found }];
  });
}

function collect(into: Map<string, ModelRows>, model: ModelDefinition, ids: readonly number[]): void {
  const rows = into.get(model.type) ?? { model, ids: new Set<number>() };
  ids.forEach((id) => rows.ids.add(id));
  if (rows.ids.size > 0) into.set(model.type, rows);
}

function without(ids: ReadonlySet<number>, removed: ModelRows | undefined): Set<number> {
  return new Set([...ids].filter((id) => removed?.ids.has(id) !== true));
}
