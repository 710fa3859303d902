import type { ModelField, FieldSqlContext } from '../../engine/declaration/field.js';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { negateSqlCondition, type ModelFilterFactory } from '../../engine/filter/filter-problem.js';
import { relatedObjectFilterByCondition } from '../../engine/filter/relation-filter.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { quoteSqlLiteral, createComputedJsonFragment, type SqlText } from '../../engine/sql/json-text-sql.js';

/**
 * Types of scope: region, site group, site and location. For each type, contains the name of the filter and the column
 * of `dcim_site` that refers to the scope.
 */
const scopeTypesOfPlaces = [
  { name: 'region', type: 'dcim.region', siteColumn: 'region_id' },
  { name: 'site_group', type: 'dcim.sitegroup', siteColumn: 'group_id' },
  { name: 'site', type: 'dcim.site', siteColumn: 'id' },
  { name: 'location', type: 'dcim.location', siteColumn: null },
] as const;

/**
 * Names of the columns that contain the scope of a row: a region, site group, site or location. If another row than the
 * listed row has these columns, also the path to that row.
 */
export interface ScopeColumnNames {
  /** Name of the column that contains the model of the scope, as `<app>.<model>`. */
  readonly type: string;
  /** Name of the column that contains the id of the scope. */
  readonly id: string;
  /**
   * Returns the SQL condition that the row with the scope columns meets a condition, given the alias of the listed row.
   * Default: the listed row itself has the scope columns.
   */
  readonly reach?: (alias: string, condition: (placed: string) => SqlText) => SqlText;
  /** Names of the filters to create: region, site group, site and location. Default: all four filters. */
  readonly only?: readonly (typeof scopeTypesOfPlaces)[number]['name'][];
}

/**
 * Returns filters by region, site group, site and location for rows with scope columns. A filter by a site also matches
 * rows whose scope is a location of the site. A filter by a region or site group also matches rows of all regions or
 * groups below it, and of their sites.
 */
export function createScopeColumnFilters({
  only,
  reach = createOwnRowCondition,
  ...columns
}: ScopeColumnNames): ModelFilterFactory {
  return (_model, registry) => {
    const locations = registry.find('dcim.location');
    return scopeTypesOfPlaces.flatMap((place) => {
      const target = registry.find(place.type);
      if (target === null || only?.includes(place.name) === false) return [];
      const placedAt = (alias: string, condition: SqlText): SqlText =>
        reach(alias, (placed) =>
          createPlacedInScopeCondition({ ...columns, alias: placed }, place, condition, locations),
        );
      const relation = {
        target,
        below: target.tree,
        matches: (alias: string, ids: SqlText) => placedAt(alias, `= ANY (${ids})`),
        isNull: (alias: string) => negateSqlCondition(placedAt(alias, 'IS NOT NULL')),
      };
      return [
        relatedObjectFilterByCondition(`${place.name}_id`, { ...relation, by: 'id' }),
        relatedObjectFilterByCondition(place.name, { ...relation, by: 'slug' }),
      ];
    });
  };
}

/**
 * Creates a field of a place, such as a region, that counts objects of a model. An object counts if its `scope` is the
 * place, a place below it, or a site or location inside one of these places.
 */
export function createScopedObjectCountField(
  type: string,
  placeType: (typeof scopeTypesOfPlaces)[number]['type'],
): ModelField<never> {
  const place = scopeTypesOfPlaces.find((one) => one.type === placeType);
  const count = ({ scope: { registry }, model, alias }: FieldSqlContext): SqlText => {
    const target = registry.find(type);
    const locations = registry.find('dcim.location');
    if (target === null || place === undefined) return '0';
    const node = `${alias}_n`;
    const ids = model.tree
      ? `IN (SELECT ${node}.id FROM ${model.table} ${node} WHERE ${node}._path @> ARRAY[${alias}.id])`
      : `= ${alias}.id`;
    const scoped = `${alias}_s`;
    const found = listScopeConditionAlternatives(
      { alias: scoped, type: 'scope_type', id: 'scope_id' },
      place,
      ids,
      locations,
    );
    return `(${found.map((way) => `(SELECT count(*) FROM ${target.table} ${scoped} WHERE ${way})`).join(' + ')})`;
  };
  return computedField(
    {
      json: (own) => [createComputedJsonFragment(count(own))],
      order: (own) => [count(own)],
      schema: { type: 'integer', format: 'int64' },
    },
    'count',
  );
}

const createOwnRowCondition: Required<ScopeColumnNames>['reach'] = (alias, condition) => condition(alias);

/** Filters by region, site group, site and location for models that have a `scope`; see {@link createScopeColumnFilters}. */
export const placeScopeFilters: ModelFilterFactory = createScopeColumnFilters({ type: 'scope_type', id: 'scope_id' });

type RowWithScope = { readonly alias: string; readonly type: string; readonly id: string };

/** Returns the SQL condition that the scope of a row meets a condition, or a place that contains the scope does. */
function createPlacedInScopeCondition(
  own: RowWithScope,
  place: (typeof scopeTypesOfPlaces)[number],
  condition: SqlText,
  locations: ModelDefinition | null,
): SqlText {
  return `(${listScopeConditionAlternatives(own, place, condition, locations).join(' OR ')})`;
}

/**
 * Returns the parts of the condition of {@link createPlacedInScopeCondition} as separate SQL conditions. At most one of them
 * applies to any row.
 */
function listScopeConditionAlternatives(
  own: RowWithScope,
  { type, siteColumn }: (typeof scopeTypesOfPlaces)[number],
  condition: SqlText,
  locations: ModelDefinition | null,
): SqlText[] {
  const placed = (placeType: string, ids: SqlText): SqlText =>
    `(${own.alias}.${own.type} = ${quoteSqlLiteral(placeType)} AND ${own.alias}.${own.id} ${ids})`;
  const ways = [placed(type, condition)];
  if (siteColumn !== null && siteColumn !== 'id') {
    ways.push(placed('dcim.site', `IN (SELECT s.id FROM dcim_site s WHERE s.${siteColumn} ${condition})`));
  }
  if (siteColumn !== null && locations !== null) {
    const inSites = `SELECT l.id FROM ${locations.table} l JOIN dcim_site s ON s.id = l.site_id WHERE s.${siteColumn} ${condition}`;
    ways.push(placed('dcim.location', `IN (${inSites})`));
  }
  return ways;
}
