import type { Tx } from '@switchboard/database';
import type { UnreferencedDeletionBlockers, ModelDefinition } from '../declaration/define-model.js';
import type { ReferenceToModel, ModelRegistry } from '../declaration/model-registry.js';
import { quoteSqlLiteral, type SqlText } from '../sql/json-text-sql.js';

/** Objects of one model, by their ids. */
export interface ObjectsOfModel {
  readonly model: ModelDefinition;
  readonly ids: Set<number>;
}

/**
 * A reference that a deletion sets to null because the referenced object is deleted, with the ids of the objects that
 * have the reference.
 */
export interface ReferenceToClear {
  readonly reference: ReferenceToModel;
  readonly ids: Set<number>;
}

/** All objects that the deletion of objects deletes or changes, and all objects that prevent the deletion. */
export interface DeletionPlan {
  /**
   * Objects to delete, by model: first the objects in the request, then the objects that are deleted with them by
   * cascade. In a tree, descendants come before their ancestors.
   */
  readonly deleted: ReadonlyMap<string, ObjectsOfModel>;
  readonly emptied: readonly ReferenceToClear[];
  /** Objects, by model, that prevent the deletion because they refer to objects that would be deleted. */
  readonly blockers: ReadonlyMap<string, ObjectsOfModel>;
}

interface RowsReferringToDeletedObjects {
  readonly reference: ReferenceToModel;
  /** Model of the objects to which the references point. */
  readonly model: ModelDefinition;
  /** Ids of the objects that have a certain reference. Each id comes with the id of the referenced object. */
  readonly rows: readonly { readonly id: number; readonly target: number }[];
}

/**
 * Finds all objects that a deletion affects. The caller must have locked the objects to delete. The function follows
 * cascading references level by level, with one statement per level, until a level has no objects. An object with a
 * protecting reference does not prevent the deletion if that object is also deleted. Each statement also locks the
 * objects that it finds. The next statement then searches for references to the locked objects. Adding a reference
 * takes a shared lock on the row of the referenced object: foreign keys take it, and
 * `checkGenericReferenceTargetsExist` does so for generic references. A new reference that is committed before the
 * object is locked is found by the next statement. A later reference waits for the deletion and is rejected.
 *
 * @returns null if more than `most` rows belong to the plan. A statement reads at most `most + 1` rows per reference.
 */
export async function planObjectDeletion(
  tx: Tx,
  registry: ModelRegistry,
  { model, ids, most }: { readonly model: ModelDefinition; readonly ids: readonly number[]; readonly most: number },
): Promise<DeletionPlan | null> {
  const deleted = new Map<string, ObjectsOfModel>([[model.type, { model, ids: new Set(ids) }]]);
  const emptied: ReferenceToClear[] = [];
  const protecting = new Map<string, ObjectsOfModel>();
  const parents = new Map<ModelDefinition, Map<number, number>>();
  let frontier: ObjectsOfModel[] = [{ model, ids: new Set(ids) }];
  let size = ids.length;
  while (frontier.length > 0) {
    const next = new Map<string, ObjectsOfModel>();
    const reached = await findRowsReferringToObjects(tx, registry, frontier, most);
    size += reached.reduce((sum, { rows }) => sum + rows.length, 0);
    if (size > most) return null;
    for (const { reference, model: referred, rows } of reached) {
      const found = rows.map(({ id }) => id);
      if (reference.onDelete === 'set_null') emptied.push({ reference, ids: new Set(found) });
      else if (reference.onDelete === 'protect') addObjectIdsOfModel(protecting, reference.model, found);
      else {
        if (reference.model === referred) addParentIdsOfModel(parents, referred, rows);
        const known = deleted.get(reference.model.type)?.ids;
        const fresh = found.filter((id) => known?.has(id) !== true);
        addObjectIdsOfModel(deleted, reference.model, fresh);
        if (fresh.length > 0) addObjectIdsOfModel(next, reference.model, fresh);
      }
    }
    frontier = [...next.values()];
  }
  for (const rows of deleted.values()) {
    for (const blocker of rows.model.extraDeleteBlockers)
      await collectExtraDeletionBlockers(tx, registry, protecting, rows, blocker);
  }
  return {
    deleted: new Map(
      [...deleted].map(([type, rows]) => [type, sortTreeObjectsChildrenFirst(rows, parents.get(rows.model))]),
    ),
    emptied: emptied.map(({ reference, ids: rows }) => ({
      reference,
      ids: excludeIdsInDeletionPlan(rows, deleted.get(reference.model.type)),
    })),
    blockers: new Map(
      [...protecting].flatMap(([type, rows]) => {
        const left = excludeIdsInDeletionPlan(rows.ids, deleted.get(type));
        return left.size === 0 ? [] : [[type, { model: rows.model, ids: left }] as const];
      }),
    ),
  };
}

async function collectExtraDeletionBlockers(
  tx: Tx,
  registry: ModelRegistry,
  into: Map<string, ObjectsOfModel>,
  { ids }: ObjectsOfModel,
  { type, where }: UnreferencedDeletionBlockers,
): Promise<void> {
  const model = registry.find(type);
  if (model === null) return;
  const { rows } = await tx.query<{ id: number }>(
    `SELECT b.id FROM ${model.table} b WHERE ${where('b', '$1::bigint[]')} ORDER BY b.id`,
    [[...ids]],
  );
  addObjectIdsOfModel(
    into,
    model,
    rows.map(({ id }) => id),
  );
}

/**
 * SQL row locks on objects that refer to deleted objects, by the `onDelete` rule of the reference. Objects whose
 * references prevent the deletion are not locked.
 */
export const rowLocksByDeletionRule: Readonly<Record<ReferenceToModel['onDelete'], SqlText>> = {
  cascade: 'FOR UPDATE',
  set_null: 'FOR NO KEY UPDATE',
  protect: '',
};

/**
 * Compares two references for sorting: references with `set_null` or `protect` come before references with `cascade`.
 * An object can have both kinds of references. For example, a cable termination refers to its cable and to a port.
 * Deleting the port locks the port before the termination. Deleting the cable must lock them in the same order.
 */
export function compareReferencesByDeletionRule(one: ReferenceToModel, other: ReferenceToModel): number {
  return Number(one.onDelete === 'cascade') - Number(other.onDelete === 'cascade');
}

async function findRowsReferringToObjects(
  tx: Tx,
  registry: ModelRegistry,
  frontier: readonly ObjectsOfModel[],
  most: number,
): Promise<RowsReferringToDeletedObjects[]> {
  const references: Omit<RowsReferringToDeletedObjects, 'rows'>[] = [];
  const values: unknown[] = [];
  const branches: string[] = [];
  for (const { model, ids } of frontier) {
    for (const reference of registry.listReferencesToModel(model.type).toSorted(compareReferencesByDeletionRule)) {
      values.push([...ids]);
      const sameType =
        reference.typeColumn === null ? '' : ` AND ${reference.typeColumn} = ${quoteSqlLiteral(model.type)}`;
      // UNION ALL allows a locking clause only in a subquery. The sum keeps the planner from using the index on the
      // ids, which it would scan because of the limit.
      branches.push(
        `SELECT ${references.length} AS reference, found.* FROM (SELECT id, ${reference.idColumn} AS target
          FROM ${reference.model.table} WHERE ${reference.idColumn} = ANY ($${values.length}::bigint[])${sameType}
          ORDER BY id + 0 LIMIT ${most + 1} ${rowLocksByDeletionRule[reference.onDelete]}) found`,
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

function addParentIdsOfModel(
  parents: Map<ModelDefinition, Map<number, number>>,
  model: ModelDefinition,
  rows: RowsReferringToDeletedObjects['rows'],
): void {
  const known = parents.get(model) ?? new Map<number, number>();
  for (const { id, target } of rows) known.set(id, target);
  parents.set(model, known);
}

/**
 * Sorts the objects of a tree so that children come before their parents (docs/contract/inventory.md 4). Otherwise the
 * objects remain in the order of their ids.
 */
function sortTreeObjectsChildrenFirst(
  { model, ids }: ObjectsOfModel,
  parents: ReadonlyMap<number, number> = new Map(),
): ObjectsOfModel {
  const depths = new Map<number, number>();
  for (const id of ids) {
    let depth = 0;
    // The limit protects against cycles.
    for (let above = parents.get(id); above !== undefined && depth < ids.size; above = parents.get(above)) depth += 1;
    depths.set(id, depth);
  }
  const depthOf = (id: number): number => depths.get(id) ?? 0;
  return { model, ids: new Set([...ids].toSorted((left, right) => depthOf(right) - depthOf(left))) };
}

function addObjectIdsOfModel(into: Map<string, ObjectsOfModel>, model: ModelDefinition, ids: readonly number[]): void {
  const rows = into.get(model.type) ?? { model, ids: new Set<number>() };
  ids.forEach((id) => rows.ids.add(id));
  if (rows.ids.size > 0) into.set(model.type, rows);
}

function excludeIdsInDeletionPlan(ids: ReadonlySet<number>, removed: ObjectsOfModel | undefined): Set<number> {
  return new Set([...ids].filter((id) => removed?.ids.has(id) !== true));
}
