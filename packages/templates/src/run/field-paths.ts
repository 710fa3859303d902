import type { Budget } from '../budget.js';
import { FieldError } from '../errors.js';
import { RelatedList, TemplateObject, Undefined, type Value } from '../values/value.js';
import type { Condition } from './lookups.js';

/** Functions that read members of objects, and the limits of that. */
export interface Reading {
  readonly budget: Budget;
  readonly member: (value: Value, name: string) => Value;
}

/** Paths of fields such as `site__name`, by their first names. Paths over the same relation share a branch. */
export interface FieldTree<T> {
  /** Values that belong to paths that end here. */
  readonly ends: T[];
  readonly branches: Map<string, FieldTree<T>>;
}

/** Returns paths of fields as a tree. */
export function fieldTree<T>(paths: readonly { readonly names: readonly string[]; readonly end: T }[]): FieldTree<T> {
  const root: FieldTree<T> = { ends: [], branches: new Map() };
  for (const { names, end } of paths) {
    let tree = root;
    for (const name of names) {
      const branch: FieldTree<T> = tree.branches.get(name) ?? { ends: [], branches: new Map() };
      tree.branches.set(name, branch);
      tree = branch;
    }
    tree.ends.push(end);
  }
  return root;
}

/**
 * Returns true if an object meets all conditions. Conditions about one list of related objects must be met by the same
 * object of the list. An empty list counts as one missing object, whose fields are null.
 *
 * @throws FieldError for a name that the object does not have
 */
export function meets(item: Value, conditions: FieldTree<Condition>, reading: Reading): boolean {
  return reading.budget.within(
    () =>
      conditions.ends.every(({ holds }) => holds(item)) &&
      [...conditions.branches].every(([name, inner]) =>
        objectsAt(item, name, reading).some((one) => meets(one, inner, reading)),
      ),
  );
}

/**
 * Returns rows with values of an object, one row for each related object. Rows have the places of the tree's ends.
 *
 * @throws FieldError for a name that the object does not have
 */
export function rowsAt(
  item: Value,
  columns: FieldTree<number>,
  given: readonly Value[],
  reading: Reading,
): readonly (readonly Value[])[] {
  let rows: readonly (readonly Value[])[] = [
    columns.ends.reduce<readonly Value[]>((row, at) => row.with(at, stored(item)), given),
  ];
  for (const [name, inner] of columns.branches) {
    const objects = objectsAt(item, name, reading);
    rows = rows.flatMap((row) =>
      objects.flatMap((one) => {
        reading.budget.allocate(row.length * 4);
        return reading.budget.within(() => rowsAt(one, inner, row, reading));
      }),
    );
  }
  return rows;
}

/** Returns the value at a path of fields, such as `site__name`; null if an object on the way is missing. */
export function valueAt(item: Value, path: string, reading: Reading): Value {
  return path.split('__').reduce<Value>((value, name) => objectsAt(value, name, reading)[0] ?? null, item);
}

/** Returns the value of a field, or the objects of a list of related objects. A missing object counts as null. */
function objectsAt(item: Value, name: string, reading: Reading): readonly Value[] {
  reading.budget.loop();
  const found = item === null ? null : fieldOf(item, name, reading);
  if (!(found instanceof RelatedList)) return [found];
  return found.objects.length === 0 ? [null] : found.objects;
}

/** Returns the value of a field by its name in conditions: `site_id` is the id of `site`. */
function fieldOf(item: Value, name: string, { member }: Reading): Value {
  const found = member(item, name);
  if (!(found instanceof Undefined)) return found;
  const [, reference] = /^(\w+)_id$/.exec(name) ?? [];
  const target = reference === undefined ? found : member(item, reference);
  if (target instanceof Undefined) throw new FieldError(`Cannot resolve keyword '${name}' into field.`);
  return target instanceof TemplateObject ? (target.member('id') ?? null) : target;
}

/** Returns the stored form of a field: the id of a related object, or the value of a choice. */
function stored(value: Value): Value {
  if (!(value instanceof TemplateObject)) return value;
  return value.fields.entries.get('id') ?? value.scalar;
}
