import { type AccessPolicy, type InventoryActor, viewCondition } from '../access.js';
import type { ModelDefinition } from '../declaration/model.js';
import type { Registry } from '../declaration/registry.js';
import { errors } from '../../errors.js';
import type { Services } from '../services.js';
import type { Sql } from '../sql/pieces.js';
import type { Parameters } from '../sql/statement.js';
import { type Filter, FilterProblem, type Lookup } from './filter.js';
import { unknownFilter } from './unknown-filter.js';
import { searchFilter } from './search-filter.js';

/** Values that must name something, checked by the statement of the list itself. */
interface ExistenceCheck {
  /** Text of a JSON list: the places, from 1, of the values that name nothing. */
  readonly expression: Sql;
  readonly parameter: string;
  /** One message for each value. */
  readonly messages: readonly string[];
}

/** The conditions of a list. */
export interface CompiledFilters {
  readonly conditions: readonly Sql[];
  readonly checks: readonly ExistenceCheck[];
  /** Common table expressions that the conditions read. */
  readonly tables: readonly Sql[];
  /** Array expression of the ids of all rows that meet the conditions, in the model's own order; null when unknown. */
  readonly wholeIds: Sql | null;
  /** Parameters whose patterns the database runs; the statement needs a bound in time then. */
  readonly patterns: readonly string[];
  /** True if the statement must be planned for its values each time. */
  readonly needOwnPlan: boolean;
  /** True if one of the filters makes the list a heavy read. */
  readonly isHeavy: boolean;
}

/** All filters of a model: those of its fields, its own, and `q`. A model's own filter replaces a field's. */
export function filtersOf(model: ModelDefinition, registry: Registry): ReadonlyMap<string, Filter> {
  const known = cache.get(model);
  if (known !== undefined) return known;
  const ofFields = Object.entries(model.fields).flatMap(([name, field]) =>
    field.traits.filterable ? field.filters(name, registry, model) : [],
  );
  const own = model.filters.flatMap((filter) => (typeof filter === 'function' ? filter(model, registry) : [filter]));
  const search = model.search.length === 0 ? [] : [searchFilter(model)];
  const all = new Map([...ofFields, ...own, ...search].map((filter) => [filter.name, filter]));
  cache.set(model, all);
  return all;
}

const cache = new WeakMap<ModelDefinition, ReadonlyMap<string, Filter>>();

/** Parameters of lists that narrow nothing. */
const otherParameters = new Set([
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

/** Unknown filters of one query that are told with what may have been meant. */
const mostExplained = 10;

/** Filters to compile, and the strictness. */
export interface FilterOptions {
  readonly alias: string;
  readonly actor: InventoryActor;
  readonly policy: AccessPolicy;
  /** True to reject unknown parameters. */
  readonly strict: boolean;
  readonly services: Pick<Services, 'fingerprints' | 'limits'>;
  /** Filters of the model beside its own: those of custom fields. */
  readonly further?: readonly Filter[];
}

/**
 * Turns query parameters into conditions. Parameters and lookups that the model does not know are ignored, as clients
 * of the reference API rely on (docs/contract/inventory.md 1.9), unless `strict` refuses them; empty values ask for
 * nothing, and repeated ones count once.
 *
 * @throws AppError VALIDATION_FAILED with the messages of every parameter that cannot be read
 */
export function compileFilters(
  model: ModelDefinition,
  registry: Registry,
  query: URLSearchParams,
  parameters: Parameters,
  { alias, actor, policy, strict, services, further = [] }: FilterOptions,
): CompiledFilters {
  const own = filtersOf(model, registry);
  const known =
    further.length === 0 ? own : new Map([...own, ...further.map((filter) => [filter.name, filter] as const)]);
  const conditions: Sql[] = [];
  const checks: ExistenceCheck[] = [];
  const patterns: string[] = [];
  const computed: ComputedIds[] = [];
  let needOwnPlan = false;
  let isHeavy = false;
  const problems: Record<string, string[]> = {};
  const valuesOf = valuesByName(query);
  if (valuesOf.size > services.limits.filters) {
    const message = `Give at most ${services.limits.filters} different parameters (there are ${valuesOf.size}).`;
    throw errors.create('VALIDATION_FAILED', { fields: { body: { __all__: [message] } } });
  }
  for (const [parameter, values] of valuesOf) {
    const found = findFilter(known, parameter) ?? findOpenFilter(model, parameter);
    if (strict && found === null && !otherParameters.has(parameter)) {
      // To find out what may have been meant takes long: it is told for the first ones.
      const isEarly = Object.keys(problems).length < mostExplained;
      problems[parameter] = [isEarly ? unknownFilter(parameter, known) : 'Unknown filter.'];
    }
    if (found === null || values.length === 0) continue;
    if (values.length > services.limits.filterValues) {
      problems[parameter] = [`Give at most ${services.limits.filterValues} values (there are ${values.length}).`];
      continue;
    }
    try {
      const condition = found.filter.compile({
        modelType: model.type,
        alias,
        userId: actor.id,
        mayView: (target, row) => viewCondition(policy, actor, target, { alias: row, parameters }),
        values: found.filter.multiple ? values : values.slice(-1),
        lookup: found.lookup,
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
        mustExist: (wanted, type, exists, message) => {
          if (wanted.length === 0) return;
          const given = parameters.add(wanted, `${type}[]`);
          const expression = `array_to_json(ARRAY(SELECT place FROM unnest(${given}) WITH ORDINALITY AS asked (value, place)
            WHERE NOT ${exists('asked.value')} ORDER BY place))::text`;
          checks.push({ expression, parameter, messages: wanted.map(message) });
        },
      });
      if (condition === null) continue;
      conditions.push(condition);
      isHeavy ||= found.filter.isHeavy === true;
    } catch (error) {
      if (!(error instanceof FilterProblem)) throw error;
      problems[parameter] = [error.text];
    }
  }
  if (Object.keys(problems).length > 0) throw errors.create('VALIDATION_FAILED', { fields: { body: problems } });
  return {
    conditions,
    checks,
    tables: computed.map(({ table }) => table),
    wholeIds: conditions.length === 1 ? (computed[0]?.expression ?? null) : null,
    patterns,
    needOwnPlan,
    isHeavy,
  };
}

/** Ids that a filter computes once: their common table expression, and an array expression that reads it. */
interface ComputedIds {
  readonly table: Sql;
  readonly expression: Sql;
}

/** The different values of each parameter, in order; the last one given stays the last. Empty ones are left out. */
function valuesByName(query: URLSearchParams): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, Set<string>>();
  for (const [name, value] of query) {
    const values = found.get(name) ?? new Set();
    found.set(name, values);
    if (value === '') continue;
    values.delete(value);
    values.add(value);
  }
  return new Map([...found].map(([name, values]) => [name, [...values]]));
}

function findOpenFilter({ openFilters: open }: ModelDefinition, parameter: string): ReturnType<typeof findFilter> {
  if (open === null || !parameter.startsWith(open.prefix)) return null;
  const [key = '', suffix] = parameter.slice(open.prefix.length).split(/__(?=[a-z]+$)/);
  const filter = open.filter(key);
  const lookup = filter.lookups.find((name) => name === suffix) ?? null;
  return key === '' || (suffix !== undefined && lookup === null) ? null : { filter, lookup };
}

function findFilter(
  known: ReadonlyMap<string, Filter>,
  parameter: string,
): { filter: Filter; lookup: Lookup | null } | null {
  const exact = known.get(parameter);
  if (exact !== undefined) return { filter: exact, lookup: null };
  const cut = parameter.lastIndexOf('__');
  const filter = cut < 0 ? undefined : known.get(parameter.slice(0, cut));
  const lookup = filter?.lookups.find((name) => name === parameter.slice(cut + 2));
  return filter === undefined || lookup === undefined ? null : { filter, lookup };
}
