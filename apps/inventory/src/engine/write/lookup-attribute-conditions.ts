import { createNamedFieldValueSql, createCustomFieldValuesSql } from '../custom-fields/stored-custom-field-value.js';
import type { AnyModelField } from '../declaration/field.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { quoteSqlIdentifier, quoteSqlLiteral, type SqlText } from '../sql/json-text-sql.js';
import type { SqlParameters } from '../sql/parameterized-statement.js';
import type { RequestLimits } from '../request-limits.js';
import { isIdentifyingAttributeSet, countIdentifyingAttributes } from './count-attributes.js';
import { createInvalidInputProblem, UnknownAttributeError } from './invalid-input-problem.js';
import { createLookupConditionSql, isRegularExpressionLookup } from './lookup-sql-operators.js';

/** Context for compiling conditions on attributes of objects into SQL. */
export interface AttributeConditionContext {
  readonly registry: ModelRegistry;
  readonly parameters: SqlParameters;
  readonly alias: string;
  readonly limits: RequestLimits;
  /**
   * Function that is called if a condition matches a regular expression from a user, so that the statement can get a
   * timeout.
   */
  readonly runsPattern?: () => void;
  /**
   * True to reject a condition whose value no row of the model can have. False to replace the condition with the
   * constant false.
   */
  readonly strict?: boolean;
}

/**
 * Returns SQL conditions on a row for attributes and their expected values. An attribute is a field of the model, a
 * reference with nested attributes, or a path with `__` that may end in a lookup (`site__region__slug__in`). Requests
 * use attributes to identify related objects (docs/contract/inventory.md 1.10), and permissions use them as constraints
 * (docs/contract/inventory.md 1.3).
 *
 * @throws InputProblem if an attribute or lookup does not exist, and, if `strict` is set, if a value does not fit the
 *   attribute
 */
export function createAttributeConditionsSql(
  model: ModelDefinition,
  attributes: Readonly<Record<string, unknown>>,
  place: AttributeConditionContext,
): SqlText[] {
  const { names } = countIdentifyingAttributes(attributes, place.limits);
  const inner: NestedAttributeConditionContext = { ...place, isolated: names > maxJoinedAttributePathNames };
  return place.parameters.addParametersWithRollback(() =>
    Object.entries(attributes).map(([path, value]) =>
      createAttributePathCondition(model, path.split('__'), value, inner),
    ),
  );
}

/**
 * Maximum total number of names in attribute paths for which one query joins all tables. With more names, each step of
 * a path becomes a separate subquery. PostgreSQL's planning time grows much faster than the number of joined tables.
 */
const maxJoinedAttributePathNames = 12;

interface NestedAttributeConditionContext extends AttributeConditionContext {
  /** True to plan each step of an attribute path as a separate subquery. */
  readonly isolated: boolean;
}

function createAttributePathCondition(
  model: ModelDefinition,
  path: readonly string[],
  value: unknown,
  place: NestedAttributeConditionContext,
): SqlText {
  const [head = '', ...rest] = path;
  const found = findFieldByAttributeName(model, head);
  if (found === null) throw createUnknownAttributeError(model, head);
  const { name, field } = found;
  if (field === null) return createColumnCondition({ name: 'id', type: 'bigint' }, rest, value, place);
  if (field.traits.writeOnly || field.sealed !== undefined) throw createUnknownAttributeError(model, head);
  const set = createRelatedObjectsSql(model, field, place);
  if (set !== null) return createRelatedObjectCondition(model, head, set, rest, value, place);
  const column = field.column(name);
  if (column === null) throw createUnknownAttributeError(model, head);
  if (
    field.relation?.kind === 'ref' &&
    head === name &&
    isNameInReferencedModel(rest, value, place, field.relation.targets)
  ) {
    const own = `${place.alias}.${quoteSqlIdentifier(column.name)}`;
    const ids = (target: ModelDefinition, alias: string, conditions: readonly SqlText[]): SqlText => {
      const found = `SELECT ${alias}.id FROM ${target.table} ${alias} WHERE ${['true', ...conditions].join(' AND ')}`;
      return place.isolated ? `${own} = ANY (ARRAY(${found}))` : `${own} IN (${found})`;
    };
    return createRelatedObjectCondition(
      model,
      head,
      { type: field.relation.targets[0] ?? '', matches: ids },
      rest,
      value,
      place,
    );
  }
  if (field.kind === 'objectType' && (rest[0] === 'model' || rest[0] === 'app_label')) {
    const part = `split_part(${place.alias}.${quoteSqlIdentifier(column.name)}, '.', ${rest[0] === 'model' ? 2 : 1})`;
    return createColumnComparisonSql(part, 'text', rest.slice(1), value, place);
  }
  if (field.kind === 'customFields') return createCustomFieldsCondition(model, column.name, rest, value, place);
  return createColumnCondition(column, rest, value, place);
}

/**
 * SQL for the related objects that one step of an attribute path reaches, with the condition that identifies the
 * objects.
 */
interface RelatedObjectsSql {
  readonly type: string;
  matches(target: ModelDefinition, alias: string, conditions: readonly SqlText[]): SqlText;
}

function createRelatedObjectsSql(
  model: ModelDefinition,
  field: AnyModelField,
  { alias: own, isolated }: NestedAttributeConditionContext,
): RelatedObjectsSql | null {
  const { tagTables, join } = field;
  const apart = isolated ? ' OFFSET 0' : '';
  if (tagTables !== undefined) {
    return {
      type: tagTables.type,
      matches: (target, alias, conditions) =>
        `EXISTS (SELECT FROM ${tagTables.assignments} ${alias}l JOIN ${target.table} ${alias} ON ${alias}.id = ${alias}l.tag_id
          WHERE ${[`${alias}l.object_type = ${quoteSqlLiteral(model.type)}`, `${alias}l.object_id = ${own}.id`, ...conditions].join(' AND ')}${apart})`,
    };
  }
  const [type] = field.relation?.targets ?? [];
  if (join === undefined || type === undefined) return null;
  return {
    type,
    matches: (target, alias, conditions) =>
      `EXISTS (SELECT FROM ${join.table} ${alias}l JOIN ${target.table} ${alias} ON ${alias}.id = ${alias}l.${join.other}
        WHERE ${[`${alias}l.${join.own} = ${own}.id`, ...conditions].join(' AND ')}${apart})`,
  };
}

function createRelatedObjectCondition(
  model: ModelDefinition,
  head: string,
  set: RelatedObjectsSql,
  rest: readonly string[],
  value: unknown,
  place: NestedAttributeConditionContext,
): SqlText {
  const target = place.registry.find(set.type);
  if (target === null) throw createUnknownAttributeError(model, head);
  const alias = `${place.alias}_`;
  const inner = { ...place, alias };
  const attributes: [string[], unknown][] =
    isIdentifyingAttributeSet(value) && rest.length === 0
      ? Object.entries(value).map(([key, item]) => [key.split('__'), item])
      : [[findFieldByAttributeName(target, rest[0] ?? '') === null ? ['id', ...rest] : [...rest], value]];
  return set.matches(
    target,
    alias,
    attributes.map(([path, item]) => createAttributePathCondition(target, path, item, inner)),
  );
}

/**
 * Returns true if the next name of an attribute path is a field of the model that a reference points to. Returns false
 * if the path compares the id of the reference.
 */
function isNameInReferencedModel(
  [next]: readonly string[],
  value: unknown,
  { registry }: AttributeConditionContext,
  [type = '']: readonly string[],
): boolean {
  if (next === undefined) return isIdentifyingAttributeSet(value);
  const target = registry.find(type);
  return target !== null && findFieldByAttributeName(target, next) !== null && next !== 'id' && next !== 'pk';
}

function createColumnCondition(
  column: { readonly name: string; readonly type: string },
  rest: readonly string[],
  value: unknown,
  place: AttributeConditionContext,
): SqlText {
  const path = rest[0] === 'id' || rest[0] === 'pk' ? rest.slice(1) : rest;
  return createColumnComparisonSql(
    `${place.alias}.${quoteSqlIdentifier(column.name)}`,
    column.type,
    path,
    value,
    place,
  );
}

function createCustomFieldsCondition(
  { type }: ModelDefinition,
  column: string,
  [name, ...lookup]: readonly string[],
  value: unknown,
  place: AttributeConditionContext,
): SqlText {
  const data = `${place.alias}.${quoteSqlIdentifier(column)}`;
  if (name === undefined)
    return createColumnComparisonSql(createCustomFieldValuesSql(data, type), 'jsonb', [], value, place);
  const parameter = place.parameters.add(name, 'text');
  const own = createNamedFieldValueSql(data, parameter, type);
  const made =
    lookup.length === 0
      ? createColumnComparisonSql(own, 'jsonb', [], value, place)
      : createColumnComparisonSql(`(${own} #>> '{}')`, 'text', lookup, value, place);
  // Always false, but uses the parameter.
  return made === 'false' ? `${parameter} IS NULL` : made;
}

function createColumnComparisonSql(
  own: SqlText,
  type: string,
  path: readonly string[],
  value: unknown,
  place: AttributeConditionContext,
): SqlText {
  const lookup = path.length === 0 ? 'exact' : path.join('__');
  const { parameters, limits } = place;
  const made = createLookupConditionSql(lookup, { own, type, value, parameters, limits });
  if (isRegularExpressionLookup(lookup)) place.runsPattern?.();
  if (made === undefined && place.strict === true) throw createInvalidInputProblem(`Invalid value for '${lookup}'.`);
  return made ?? 'false';
}

/**
 * Finds a field of a model by the name of the field or the name of its column. In the result, a null field stands for
 * the id.
 */
function findFieldByAttributeName(
  model: ModelDefinition,
  requested: string,
): { name: string; field: AnyModelField | null } | null {
  if (requested === 'id' || requested === 'pk') return { name: 'id', field: null };
  const own = model.fields[requested];
  if (own !== undefined) return { name: requested, field: own };
  for (const [name, field] of Object.entries(model.fields)) {
    if (field.column(name)?.name === requested) return { name, field };
  }
  return null;
}

function createUnknownAttributeError(model: ModelDefinition, name: string): Error {
  const known = Object.entries(model.fields)
    .filter(([fieldName, field]) => fieldName === 'id' || field.column(fieldName) !== null)
    .map(([fieldName]) => fieldName)
    .toSorted();
  return new UnknownAttributeError([`Cannot resolve keyword '${name}' into field. Choices are: ${known.join(', ')}`]);
}
