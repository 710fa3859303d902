import { isTypeName } from '../declaration/model-type-name.js';
import type { SqlText } from '../sql/json-text-sql.js';
import {
  negateSqlCondition,
  type ListFilter,
  InvalidFilterValueError,
  type RequestedFilterValues,
  type ModelFilterFactory,
  type FilterLookupSuffix,
} from './filter-problem.js';
import { relatedObjectFilterByCondition } from './relation-filter.js';
import { createTextCondition, textLookups } from './string-filter.js';

/**
 * Returns a filter for rows that refer to an object of one of the models that the filter values name (`<app>.<model>`).
 */
export function objectTypeFilter(name: string): ListFilter {
  return {
    name,
    lookups: ['n'],
    multiple: true,
    schema: { type: 'string' },
    compile: ({ alias, values, lookup, parameters }) => {
      const any = `${alias}."${name}" = ANY (${parameters.add(values.map(parseObjectTypeName), 'text[]')})`;
      return lookup === 'n' ? negateSqlCondition(any) : any;
    },
  };
}

/**
 * Returns a filter for rows with a list of models (`<app>.<model>`). A row matches if its list contains at least one
 * filter value.
 */
export function objectTypeListFilter(name: string, column: string): ListFilter {
  return {
    name,
    lookups: textLookups.filter((lookup) => lookup !== 'empty'),
    multiple: true,
    schema: { type: 'string' },
    compile: (request) => {
      const { alias, values, lookup, parameters } = request;
      if (lookup !== null && lookup !== 'n') return createAnyListItemCondition(`${alias}."${column}"`, request, lookup);
      const any = `${alias}."${column}" && ${parameters.add(values.map(parseObjectTypeName), 'text[]')}`;
      return lookup === 'n' ? negateSqlCondition(any) : any;
    },
  };
}

export interface ObjectTypeIdFilterOptions {
  /** Name of the column that contains the model as `<app>.<model>`. Default: the name of the filter without `_id`. */
  readonly column?: string;
  /** True if the filtered column contains a list of models instead of one model. */
  readonly list?: boolean;
  /** True if only the last filter value is used when the request has several. */
  readonly single?: boolean;
}

/**
 * Returns a filter for rows that refer to models given by their numeric ids.
 *
 * @param types model whose objects have the numeric ids, `app_label` and `model` of all models; without it there is no
 *   filter
 */
export function objectTypeIdFilter(
  name: string,
  types: string,
  options: ObjectTypeIdFilterOptions = {},
): ModelFilterFactory {
  const { column = name.replace(/_id$/, ''), list = false, single = false } = options;
  return (_model, registry) => {
    const target = registry.find(types);
    if (target === null) return [];
    const named = (ids: SqlText): SqlText =>
      `ARRAY(SELECT known.app_label || '.' || known.model FROM ${target.table} known WHERE known.id = ANY (${ids}))`;
    const filter = relatedObjectFilterByCondition(name, {
      target,
      by: 'id',
      below: false,
      matches: (alias, ids) => `${alias}."${column}" ${list ? `&& ${named(ids)}` : `= ANY (${named(ids)})`}`,
      isNull: (alias) => (list ? `cardinality(${alias}."${column}") = 0` : `${alias}."${column}" IS NULL`),
    });
    return [{ ...filter, multiple: !single }];
  };
}

const positiveLookupByNegatedLookup: Partial<Record<FilterLookupSuffix, FilterLookupSuffix>> = {
  nic: 'ic',
  nisw: 'isw',
  niew: 'iew',
  nie: 'ie',
};

/** Returns the SQL condition that an item of a list matches a filter. For a negated lookup, no item may match. */
function createAnyListItemCondition(
  list: SqlText,
  request: RequestedFilterValues,
  lookup: FilterLookupSuffix,
): SqlText {
  const opposite = positiveLookupByNegatedLookup[lookup];
  const condition = createTextCondition('item', { ...request, lookup: opposite ?? lookup }) ?? 'true';
  const found = `EXISTS (SELECT FROM unnest(${list}) AS item WHERE ${condition})`;
  return opposite === undefined ? found : negateSqlCondition(found);
}

/**
 * Returns a filter value if it has the form `<app>.<model>`.
 *
 * @throws InvalidFilterValueError for any other text
 */
export function parseObjectTypeName(value: string): string {
  if (!isTypeName(value))
    throw new InvalidFilterValueError("Invalid value. Specify a content type as '<app_label>.<model_name>'.");
  return value;
}
