import type { TemplateResourceCounter } from '../template-budget.js';
import { FieldError } from '../template-errors.js';
import { RelatedList, TemplateObject, UndefinedTemplateValue, type TemplateValue } from '../values/template-value.js';
import type { FieldCondition } from './field-lookups.js';

/** Function that reads the members of objects, and the work budget that limits the reading. */
export interface TemplateFieldReader {
  readonly budget: TemplateResourceCounter;
  readonly member: (value: TemplateValue, name: string) => TemplateValue;
}

/**
 * Tree of field paths such as `site__name`. The branches have the first names of the paths, and paths over the same
 * relation share a branch.
 */
export interface FieldPathTree<T> {
  /** Values that belong to the field paths that end at this node of the tree. */
  readonly leafValues: T[];
  readonly branches: Map<string, FieldPathTree<T>>;
}

export function createFieldPathTree<T>(
  paths: readonly { readonly names: readonly string[]; readonly end: T }[],
): FieldPathTree<T> {
  const root: FieldPathTree<T> = { leafValues: [], branches: new Map() };
  for (const { names, end } of paths) {
    let tree = root;
    for (const name of names) {
      const branch: FieldPathTree<T> = tree.branches.get(name) ?? { leafValues: [], branches: new Map() };
      tree.branches.set(name, branch);
      tree = branch;
    }
    tree.leafValues.push(end);
  }
  return root;
}

/**
 * Returns true if an object meets all conditions. If several conditions concern one list of related objects, a single
 * object of the list must meet all these conditions. An empty list counts as one missing object, whose fields are null.
 *
 * @throws FieldError for a name that the object does not have
 */
export function objectMeetsConditions(
  item: TemplateValue,
  conditions: FieldPathTree<FieldCondition>,
  reading: TemplateFieldReader,
): boolean {
  return reading.budget.runOneLevelDeeper(
    () =>
      conditions.leafValues.every(({ isMet }) => isMet(item)) &&
      [...conditions.branches].every(([name, inner]) =>
        readObjectsOfField(item, name, reading).some((one) => objectMeetsConditions(one, inner, reading)),
      ),
  );
}

/**
 * Returns rows with the field values of an object. If fields belong to a list of related objects, the result has one
 * row for each related object. The values of `columns` are indexes within a row.
 *
 * @throws FieldError for a name that the object does not have
 */
export function readFieldRowsOfObject(
  item: TemplateValue,
  columns: FieldPathTree<number>,
  given: readonly TemplateValue[],
  reading: TemplateFieldReader,
): readonly (readonly TemplateValue[])[] {
  let rows: readonly (readonly TemplateValue[])[] = [
    columns.leafValues.reduce<readonly TemplateValue[]>((row, at) => row.with(at, toStoredFieldValue(item)), given),
  ];
  for (const [name, inner] of columns.branches) {
    const objects = readObjectsOfField(item, name, reading);
    rows = rows.flatMap((row) =>
      objects.flatMap((one) => {
        reading.budget.countAllocatedMemory(row.length * 4);
        return reading.budget.runOneLevelDeeper(() => readFieldRowsOfObject(one, inner, row, reading));
      }),
    );
  }
  return rows;
}

/**
 * Returns the value of an object at a field path, such as `site__name`. Returns null if an object of the path is
 * missing.
 */
export function readValueAtFieldPath(item: TemplateValue, path: string, reading: TemplateFieldReader): TemplateValue {
  return path
    .split('__')
    .reduce<TemplateValue>((value, name) => readObjectsOfField(value, name, reading)[0] ?? null, item);
}

/**
 * Returns a list with the value of a field. For a list of related objects, returns the objects; an empty list gives a
 * list with null.
 */
function readObjectsOfField(item: TemplateValue, name: string, reading: TemplateFieldReader): readonly TemplateValue[] {
  reading.budget.countIterations();
  const found = item === null ? null : readObjectField(item, name, reading);
  if (!(found instanceof RelatedList)) return [found];
  return found.objects.length === 0 ? [null] : found.objects;
}

/**
 * Returns the value of a field of an object by the field's name in conditions. For example, `site_id` is the id of the
 * object in field `site`.
 */
function readObjectField(item: TemplateValue, name: string, { member }: TemplateFieldReader): TemplateValue {
  const found = member(item, name);
  if (!(found instanceof UndefinedTemplateValue)) return found;
  const [, reference] = /^(\w+)_id$/.exec(name) ?? [];
  const target = reference === undefined ? found : member(item, reference);
  if (target instanceof UndefinedTemplateValue) throw new FieldError(`Cannot resolve keyword '${name}' into field.`);
  return target instanceof TemplateObject ? (target.member('id') ?? null) : target;
}

/**
 * Returns the stored form of a field value: the id of a related object, the value of a choice, or any other value
 * unchanged.
 */
function toStoredFieldValue(value: TemplateValue): TemplateValue {
  if (!(value instanceof TemplateObject)) return value;
  return value.fields.entries.get('id') ?? value.scalar;
}
