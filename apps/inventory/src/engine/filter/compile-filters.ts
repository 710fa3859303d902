import { type ObjectAccessPolicy, type InventoryActor, createViewCondition } from '../object-access.js';
import type { ModelDefinition } from '../declaration/define-model.js';
import type { ModelRegistry } from '../declaration/model-registry.js';
import { inventoryErrors } from '../../errors.js';
import type { ModelHookServices } from '../model-hook-services.js';
import type { SqlText } from '../sql/json-text-sql.js';
import type { SqlParameters } from '../sql/parameterized-statement.js';
import { type ListFilter, InvalidFilterValueError, type FilterLookupSuffix } from './filter-problem.js';
import type { QueryParameterValues } from './filter-statement.js';
import { createUnknownFilterMessage } from './unknown-filter-message.js';
import { searchFilter } from './search-filter.js';

/**
 * SQL check that each value of a filter names an existing object. The statement that reads the list also runs the
 * check.
 */
interface FilterValueExistenceCheck {
  /**
   * SQL expression of a JSON array, converted to text, of positions in the filter's values, counted from 1. The array
   * contains the position of each value that names no object.
   */
  readonly expression: SqlText;
  readonly parameter: string;
  /** Error messages for filter values that name no object: one message for each value of the filter. */
  readonly messages: readonly string[];
}

/** Filters of a list request, compiled to SQL. */
export interface CompiledListFilters {
  readonly valuesByName: QueryParameterValues;
  readonly conditions: readonly SqlText[];
  readonly checks: readonly FilterValueExistenceCheck[];
  /** SQL common table expressions that the filter conditions use. */
  readonly tables: readonly SqlText[];
  /**
   * SQL array expression of the ids of all matching rows, in the model's default order. Null if the statement does not
   * compute the ids in advance.
   */
  readonly wholeIds: SqlText | null;
  /**
   * Names of query parameters whose values are regular expressions. If the request has such parameters, the SQL
   * statement gets a timeout.
   */
  readonly patterns: readonly string[];
  /**
   * True if PostgreSQL must plan the list statement anew for the values of each execution, instead of reusing a cached
   * plan.
   */
  readonly needOwnPlan: boolean;
  /**
   * True if a filter makes reading the list slow, so that the request counts as heavy work, which has its own limits.
   */
  readonly isHeavy: boolean;
}

/**
 * Returns the filters of a model: filters of its fields, filters declared by the model, and `q`. A declared filter
 * replaces a field's filter with the same name.
 */
export function getFiltersOfModel(model: ModelDefinition, registry: ModelRegistry): ReadonlyMap<string, ListFilter> {
  const known = listFiltersByModel.get(model);
  if (known !== undefined) return known;
  const ofFields = Object.entries(model.fields).flatMap(([name, field]) =>
    field.traits.filterable ? field.filters(name, registry, model) : [],
  );
  const own = model.filters.flatMap((filter) => (typeof filter === 'function' ? filter(model, registry) : [filter]));
  const search = model.search.length === 0 ? [] : [searchFilter(model)];
  const all = new Map([...ofFields, ...own, ...search].map((filter) => [filter.name, filter]));
  listFiltersByModel.set(model, all);
  return all;
}

const listFiltersByModel = new WeakMap<ModelDefinition, ReadonlyMap<string, ListFilter>>();

/** Names of the query parameters of list requests that are not filters, such as paging parameters. */
const nonFilterQueryParameterNames = new Set([
  'brief',
  'exclude',
  'export',
  'fields',
  'filter',
  'filter_id',
  'format',
  'limit',
  'offset',
  'omit',
  'ordering',
  'start',
]);

/** Maximum number of unknown filters in one query string for which the error message suggests similar filter names. */
const maxSuggestedFilters = 10;

/** Options of compiling the filters of a request: the model, the user, and whether unknown filters are rejected. */
export interface CompileFiltersOptions {
  readonly alias: string;
  readonly actor: InventoryActor;
  readonly policy: ObjectAccessPolicy;
  /** True to reject unknown query parameters instead of ignoring them. */
  readonly strict: boolean;
  readonly services: Pick<ModelHookServices, 'fingerprints' | 'limits'>;
  /** Filters by custom fields, which apply in addition to the model's own filters. */
  readonly further?: readonly ListFilter[];
}

/**
 * Compiles query parameters into SQL conditions. Unless `strict` is set, unknown parameters and lookups are ignored,
 * because clients of the reference API expect this (docs/contract/inventory.md 1.9). Empty values are ignored, and
 * repeated values count once.
 *
 * @throws ApplicationError VALIDATION_FAILED with the messages of all invalid parameters
 */
export function compileFilters(
  model: ModelDefinition,
  registry: ModelRegistry,
  query: URLSearchParams,
  parameters: SqlParameters,
  { alias, actor, policy, strict, services, further = [] }: CompileFiltersOptions,
): CompiledListFilters {
  const own = getFiltersOfModel(model, registry);
  const known =
    further.length === 0 ? own : new Map([...own, ...further.map((filter) => [filter.name, filter] as const)]);
  const conditions: SqlText[] = [];
  const checks: FilterValueExistenceCheck[] = [];
  const patterns: string[] = [];
  const computed: PrecomputedObjectIdListSql[] = [];
  let needOwnPlan = false;
  let isHeavy = false;
  const errors: Record<string, string[]> = {};
  const valuesByName = queryValuesByName(query, services.limits.filters);
  for (const [parameter, values] of valuesByName) {
    const found = findFilterByName(known, parameter) ?? findPrefixedFilter(model, parameter);
    if (strict && found === null && !nonFilterQueryParameterNames.has(parameter)) {
      // Suggestions take long to compute, so only the first unknown filters get some.
      const isEarly = Object.keys(errors).length < maxSuggestedFilters;
      errors[parameter] = [isEarly ? createUnknownFilterMessage(parameter, known) : 'Unknown filter.'];
    }
    if (found === null || values.length === 0) continue;
    if (values.length > services.limits.filterValues) {
      errors[parameter] = [`Give at most ${services.limits.filterValues} values (there are ${values.length}).`];
      continue;
    }
    try {
      const condition = found.filter.compile({
        modelType: model.type,
        alias,
        userId: actor.id,
        mayView: (target, row) => createViewCondition(policy, actor, target, { alias: row, parameters }),
        values: found.filter.multiple ? values : values.slice(-1),
        lookup: found.lookup,
        valuesByName,
        parameters,
        services,
        runsPattern: () => patterns.push(parameter),
        needsOwnPlan: () => {
          needOwnPlan = true;
        },
        computeOnce: (ids) => {
          const table = `computed${computed.length + 1}`;
          const expression = `(SELECT ${table}.ids FROM ${table})`;
          computed.push({ table: `${table} AS MATERIALIZED (SELECT ARRAY(${ids}) AS ids)`, expression });
          return expression;
        },
        mustExist: (requested, type, exists, message) => {
          if (requested.length === 0) return;
          const given = parameters.add(requested, `${type}[]`);
          const expression = `array_to_json(ARRAY(SELECT place FROM unnest(${given}) WITH ORDINALITY AS asked (value, place)
            WHERE NOT ${exists('asked.value')} ORDER BY place))::text`;
          checks.push({ expression, parameter, messages: requested.map(message) });
        },
      });
      if (condition === null) continue;
      conditions.push(condition);
      isHeavy ||= found.filter.isHeavy === true;
    } catch (error) {
      if (!(error instanceof InvalidFilterValueError)) throw error;
      errors[parameter] = [error.text];
    }
  }
  if (Object.keys(errors).length > 0) throw inventoryErrors.create('VALIDATION_FAILED', { fields: { body: errors } });
  return {
    valuesByName,
    conditions,
    checks,
    tables: computed.map(({ table }) => table),
    wholeIds: conditions.length === 1 ? (computed[0]?.expression ?? null) : null,
    patterns,
    needOwnPlan,
    isHeavy,
  };
}

/**
 * SQL of a list of ids that a statement computes once. It consists of a common table expression, and an array
 * expression that reads from that table expression.
 */
interface PrecomputedObjectIdListSql {
  readonly table: SqlText;
  readonly expression: SqlText;
}

/**
 * Returns the values of each query parameter, by parameter name, without empty and repeated values. The last value in
 * the query string remains the last value in the result.
 *
 * @throws ApplicationError VALIDATION_FAILED if there are more than `maxParameters` different parameters
 */
function queryValuesByName(query: URLSearchParams, maxParameters: number): QueryParameterValues {
  const found = new Map<string, Set<string>>();
  for (const [name, value] of query) {
    const values = found.get(name) ?? new Set();
    found.set(name, values);
    if (value === '') continue;
    values.delete(value);
    values.add(value);
  }
  if (found.size > maxParameters) {
    const message = `Give at most ${maxParameters} different parameters (there are ${found.size}).`;
    throw inventoryErrors.create('VALIDATION_FAILED', { fields: { body: { __all__: [message] } } });
  }
  return new Map([...found].map(([name, values]) => [name, [...values]]));
}

function findPrefixedFilter(
  { openFilters: open }: ModelDefinition,
  parameter: string,
): ReturnType<typeof findFilterByName> {
  if (open === null || !parameter.startsWith(open.prefix)) return null;
  const [key = '', suffix] = parameter.slice(open.prefix.length).split(/__(?=[a-z]+$)/);
  const filter = open.filter(key);
  const lookup = filter.lookups.find((name) => name === suffix) ?? null;
  return key === '' || (suffix !== undefined && lookup === null) ? null : { filter, lookup };
}

function findFilterByName(
  known: ReadonlyMap<string, ListFilter>,
  parameter: string,
): { filter: ListFilter; lookup: FilterLookupSuffix | null } | null {
  const exact = known.get(parameter);
  if (exact !== undefined) return { filter: exact, lookup: null };
  const cut = parameter.lastIndexOf('__');
  const filter = cut < 0 ? undefined : known.get(parameter.slice(0, cut));
  const lookup = filter?.lookups.find((name) => name === parameter.slice(cut + 2));
  return filter === undefined || lookup === undefined ? null : { filter, lookup };
}
