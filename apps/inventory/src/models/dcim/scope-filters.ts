import type { ModelField, FieldSqlContext } from '../../engine/declaration/field.js';
import type { ModelDefinition } from '../../engine/declaration/define-model.js';
import { negateSqlCondition, type CreateFilters } from '../../engine/filter/filter-problem.js';
import { relatedObjectFilterByCondition } from '../../engine/filter/relation-filter.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { sqlLiteral, computedJson, type SqlText } from '../../engine/sql/json-text-sql.js';

/**
 * The four types of scope (region, site group, site and location) with the filter's name and the column of `dcim_site`
 * that refers to it.
 */
const scopeTypesOfPlaces = [
  { name: 'region', type: 'dcim.region', siteColumn: 'region_id' },
  { name: 'site_group', type: 'dcim.sitegroup', siteColumn: 'group_id' },
  { name: 'site', type: 'dcim.site', siteColumn: 'id' },
  { name: 'location', type: 'dcim.location', siteColumn: null },
] as const;

/**
 * Columns with the scope (region, site group, site or location) of a row, and the path from a listed row to the row
 * with these columns.
 */
export interface ScopeColumns {
  /** Name of the column that contains the model of the scope, as `<app>.<model>`. */
  readonly type: string;
  /** Name of the column that contains the id of the scope. */
  readonly id: string;
  /**
   * Returns the SQL condition that the row with the scope columns, to which a listed row leads, meets a condition.
   * Default: the listed row has these columns itself.
   */
  readonly reach?: (alias: string, condition: (placed: string) => SqlText) => SqlText;
  /** Names of the filters to create. Default: all four. */
  readonly only?: readonly (typeof scopeTypesOfPlaces)[number]['name'][];
}

/**
 * Returns filters by region, site group, site and location for rows with scope columns. A site includes its locations.
 * A region or site group includes the regions or groups below it, and all their sites.
 */
export function scopeColumnFilters({ only, reach = conditionOnOwnRow, ...columns }: ScopeColumns): CreateFilters {
  return (_model, registry) => {
    const locations = registry.find('dcim.location');
    return scopeTypesOfPlaces.flatMap((place) => {
      const target = registry.find(place.type);
      if (target === null || only?.includes(place.name) === false) return [];
      const placedAt = (alias: string, condition: SqlText): SqlText =>
        reach(alias, (placed) => isPlacedInCondition({ ...columns, alias: placed }, place, condition, locations));
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
 * Creates a field that counts the objects of a model whose `scope` is this place, a place below it, or a site or
 * location inside one of these places.
 */
export function countObjectsInScopeField(
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
    const found = scopeConditionAlternatives(
      { alias: scoped, type: 'scope_type', id: 'scope_id' },
      place,
      ids,
      locations,
    );
    return `(${found.map((way) => `(SELECT count(*) FROM ${target.table} ${scoped} WHERE ${way})`).join(' + ')})`;
  };
  return computedField(
    {
      json: (own) => [computedJson(count(own))],
      order: (own) => [count(own)],
      schema: { type: 'integer', format: 'int64' },
    },
    'count',
  );
}

const conditionOnOwnRow: Required<ScopeColumns>['reach'] = (alias, condition) => condition(alias);

/** Filters by region, site group, site and location for models with a `scope`; see {@link scopeColumnFilters}. */
export const scopeFilters: CreateFilters = scopeColumnFilters({ type: 'scope_type', id: 'scope_id' });

type RowWithScope = { readonly alias: string; readonly type: string; readonly id: string };

/** Returns the SQL condition that the scope of a row, or a place that contains it, meets a condition. */
function isPlacedInCondition(
  own: RowWithScope,
  place: (typeof scopeTypesOfPlaces)[number],
  condition: SqlText,
  locations: ModelDefinition | null,
): SqlText {
  return `(${scopeConditionAlternatives(own, place, condition, locations).join(' OR ')})`;
}

/**
 * Returns the alternatives of {@link isPlacedInCondition} as separate SQL conditions, of which at most one applies to a
 * row.
 */
function scopeConditionAlternatives(
  own: RowWithScope,
  { type, siteColumn }: (typeof scopeTypesOfPlaces)[number],
  condition: SqlText,
  locations: ModelDefinition | null,
): SqlText[] {
  const placed = (placeType: string, ids: SqlText): SqlText =>
    `(${own.alias}.${own.type} = ${sqlLiteral(placeType)} AND ${own.alias}.${own.id} ${ids})`;
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
