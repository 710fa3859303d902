import type { ModelDefinition } from '../../engine/declaration/model.js';
import { except, type FilterSource } from '../../engine/filter/filter.js';
import { objectFilterWhere } from '../../engine/filter/relation-filter.js';
import { literal, type Sql } from '../../engine/sql/pieces.js';

/** What a scope may be found by, and the column of a site that leads there. */
const places = [
  { name: 'region', type: 'dcim.region', siteColumn: 'region_id' },
  { name: 'site_group', type: 'dcim.sitegroup', siteColumn: 'group_id' },
  { name: 'site', type: 'dcim.site', siteColumn: 'id' },
  { name: 'location', type: 'dcim.location', siteColumn: null },
] as const;

/**
 * Filters of models with a `scope` by region, site group, site and location. A site stands for its locations as well,
 * a region and a group for their sites and everything below them.
 */
export const scopeFilters: FilterSource = (_model, registry) => {
  const locations = registry.find('dcim.location');
  return places.flatMap((place) => {
    const target = registry.find(place.type);
    if (target === null) return [];
    const relation = {
      target,
      below: target.tree,
      matches: (alias: string, ids: Sql) => scopedTo(alias, place, `= ANY (${ids})`, locations),
      isNull: (alias: string) => except(scopedTo(alias, place, 'IS NOT NULL', locations)),
    };
    return [
      objectFilterWhere(`${place.name}_id`, { ...relation, by: 'id' }),
      objectFilterWhere(place.name, { ...relation, by: 'slug' }),
    ];
  });
};

/** Rows whose scope is a place of which the condition holds, or stands in one. */
function scopedTo(
  alias: string,
  { type, siteColumn }: (typeof places)[number],
  condition: Sql,
  locations: ModelDefinition | null,
): Sql {
  const scope = (scopeType: string, ids: Sql): Sql =>
    `(${alias}.scope_type = ${literal(scopeType)} AND ${alias}.scope_id ${ids})`;
  const ways = [scope(type, condition)];
  if (siteColumn !== null && siteColumn !== 'id') {
    ways.push(scope('dcim.site', `IN (SELECT s.id FROM dcim_site s WHERE s.${siteColumn} ${condition})`));
  }
  if (siteColumn !== null && locations !== null) {
    const inSites = `SELECT l.id FROM ${locations.table} l JOIN dcim_site s ON s.id = l.site_id WHERE s.${siteColumn} ${condition}`;
    ways.push(scope('dcim.location', `IN (${inSites})`));
  }
  return `(${ways.join(' OR ')})`;
}
