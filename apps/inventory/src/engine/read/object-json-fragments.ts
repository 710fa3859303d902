import type { StatementSqlScope } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import {
  quoteSqlIdentifier,
  createJsonObjectFragments,
  type JsonTextFragment,
  createComputedJsonFragment,
  createConstantJsonFragment,
} from '../sql/json-text-sql.js';

/**
 * Returns the SQL fragments of an object's JSON text with the given fields, in the given order. Unknown field names are
 * ignored.
 */
export function createObjectJsonFragments(
  model: ModelDefinition,
  names: readonly string[],
  alias: string,
  scope: StatementSqlScope,
): readonly JsonTextFragment[] {
  const members = names.flatMap((name) => {
    const field = model.fields[name];
    if (field === undefined || field.traits.writeOnly) return [];
    return [[name, field.json({ name, model, alias, scope })] as const];
  });
  return createJsonObjectFragments(members);
}

/**
 * JSON values, by type of field, of fields that count or list references to an object. In a new object, to which
 * nothing refers yet, these fields have the listed values.
 */
const initialJsonByFieldType: Readonly<Record<string, string>> = {
  count: '0',
  reverse: '[]',
  tags: '[]',
  many: '[]',
  rows: '[]',
};

/**
 * Returns the SQL fragments of an object's JSON text right after the creation, without queries for objects that refer
 * to the new object.
 *
 * @param unrelated references written as null, which are not looked up. The statement fails if a trigger has set one
 * (see {@link referenceSetByTriggerMessage}).
 */
export function createNewObjectFragments(
  model: ModelDefinition,
  alias: string,
  scope: StatementSqlScope,
  unrelated: ReadonlySet<string> = new Set(),
): readonly JsonTextFragment[] {
  const members = listSelectedFieldNames(model, allFieldsSelection).flatMap((name) => {
    const field = model.fields[name];
    if (field === undefined) return [];
    const empty = initialJsonByFieldType[field.kind];
    if (empty !== undefined) return [[name, [createConstantJsonFragment(empty)]] as const];
    const known = field.relation?.targets.some((type) => scope.registry.find(type) !== null) === true;
    const column = known && unrelated.has(name) ? getNullableReferenceColumn(model, name) : null;
    if (column === null) return [[name, field.json({ name, model, alias, scope })] as const];
    const asked = `CASE WHEN ${alias}.${quoteSqlIdentifier(column)} IS NULL THEN 'null' ELSE reference_written_as_null() END`;
    return [[name, [createComputedJsonFragment(asked)]] as const];
  });
  return createJsonObjectFragments(members);
}

/**
 * Message of the error (SQLSTATE 40001) of an SQL statement that assumes a reference to be null, although a database
 * trigger has set the reference.
 */
export const referenceSetByTriggerMessage = 'a reference written as null was filled';

/**
 * Returns the name of the column that is null if and only if the reference has no target. Returns null for fields that
 * are not references.
 */
export function getNullableReferenceColumn(model: ModelDefinition, name: string): string | null {
  const { relation } = model.fields[name] ?? {};
  if (relation?.kind === 'generic') return relation.typeField ?? null;
  return relation?.kind === 'ref' ? (model.fields[name]?.column(name)?.name ?? null) : null;
}

/**
 * Returns the SQL fragments of the JSON text of a nested object. A nested object shows counts as 0, as in the reference
 * API (docs/contract/inventory.md 1.4).
 */
export function createNestedObjectFragments(
  model: ModelDefinition,
  alias: string,
  scope: StatementSqlScope,
): readonly JsonTextFragment[] {
  const members = model.nested.flatMap((name) => {
    const field = model.fields[name];
    if (field === undefined) return [];
    return [
      [
        name,
        field.kind === 'count' ? [createConstantJsonFragment('0')] : field.json({ name, model, alias, scope }),
      ] as const,
    ];
  });
  return createJsonObjectFragments(members);
}

/**
 * Returns the SQL fragments of an object's JSON text in the form of change records (docs/contract/inventory.md 4). That
 * form has stored values and the ids of references, but neither `id` nor `last_updated`.
 */
export function createSnapshotFragments(
  model: ModelDefinition,
  alias: string,
  scope: StatementSqlScope,
  options: { isNew: boolean },
): readonly JsonTextFragment[] {
  const members = Object.entries(model.fields).flatMap(([name, field]) => {
    if (name === 'last_updated') return [];
    if (options.isNew && field.kind === 'tags') return [[name, [createConstantJsonFragment('[]')]] as const];
    const pieces = field.snapshot({ name, model, alias, scope });
    return pieces === null ? [] : [[field.changeLogName ?? name, pieces] as const];
  });
  const further = Object.entries(model.changeLogMembers).map(
    ([name, member]) => [name, [createComputedJsonFragment(member(alias, model))]] as const,
  );
  return createJsonObjectFragments([...members, ...further]);
}

/**
 * Query parameters with which a client selects fields (docs/contract/inventory.md 1.7). `fields` overrides `omit`,
 * which overrides `brief`.
 */
export interface FieldSelectionParameters {
  readonly fields: readonly string[] | null;
  readonly omit: readonly string[] | null;
  readonly brief: boolean;
  /** Value of the query parameter `exclude`: names of fields to omit from the response, as the client sent them. */
  readonly exclude: string;
}

/** Field selection of a request that selects all fields. */
export const allFieldsSelection: FieldSelectionParameters = { fields: null, omit: null, brief: false, exclude: '' };

/** Returns the names of the fields that a client selected, in the order of the response. */
export function listSelectedFieldNames(model: ModelDefinition, selection: FieldSelectionParameters): readonly string[] {
  const all = Object.entries(model.fields).flatMap(([name, { traits }]) =>
    traits.writeOnly || (traits.excludable && selection.exclude.includes(name)) ? [] : [name],
  );
  if (selection.fields !== null) {
    const requested = new Set(selection.fields);
    return all.filter((name) => requested.has(name));
  }
  if (selection.omit !== null) {
    const omitted = new Set(selection.omit);
    return all.filter((name) => !omitted.has(name));
  }
  return selection.brief ? model.brief : all;
}
