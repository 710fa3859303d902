import type { FilterSource } from '../engine/filter/filter.js';
import { requestFilters } from '../engine/filter/request-filters.js';
import { customFields } from '../engine/field-types/custom-fields.js';
import { display, displayUrl, id, url } from '../engine/field-types/computed.js';
import { datetime } from '../engine/field-types/datetime.js';
import { integer } from '../engine/field-types/number.js';
import { ref } from '../engine/field-types/relation.js';
import { withFilters } from '../engine/field-types/traits.js';
import { slug, text } from '../engine/field-types/text.js';
import { tagsOf } from '../engine/field-types/tags.js';
import type { SearchTerm } from '../engine/declaration/model.js';
import type { Sql } from '../engine/sql/pieces.js';

/** First fields of every object. */
export const identity = { id: id(), url: url(), display_url: displayUrl(), display: display() };

/** Creation and last update times. */
export const times = {
  created: datetime({ readOnly: true, nullable: true }),
  last_updated: withFilters(
    datetime({ readOnly: true, nullable: true, label: 'last updated' }),
    requestFilters('core.objectchange'),
  ),
};

/** Tags of the object. */
export const tags = tagsOf({ type: 'extras.tag', assignments: 'extras_taggeditem' });

/** Filters by tag, for a model whose responses do not show tags. */
export const tagFilters: FilterSource = (model, registry) => tags.filters('tags', registry, model);

/** Values of the object's custom fields. */
export const customFieldValues = customFields();

/** Owner of the object. */
export const owner = ref('users.owner', {
  nullable: true,
  filterBy: 'name',
  onward: [{ filter: 'owner_group', path: 'group', by: 'name' }],
});

/** Short description. */
export const description = text({ max: 200 });

/** Free text. */
export const comments = text();

/** Required name, sorted in natural order. */
export const requiredName = text({ max: 100, required: true });

/** Required slug; see {@link slug}. */
export const requiredSlug = slug();

/** Returns search terms for columns of the model's table. */
export function searchIn(...columns: readonly string[]): readonly SearchTerm[] {
  return columns.map((column) => ({ sql: (alias) => `${alias}."${column}"`, lookup: 'icontains' }));
}

/** Returns a search term for columns of the table `target`, to which a column of the model's table refers. */
export function searchInTarget(table: Sql, column: Sql, target: Sql, ...columns: readonly Sql[]): SearchTerm {
  const matches = (pattern: Sql): Sql => columns.map((name) => `r.${name} ILIKE ${pattern}`).join(' OR ');
  return {
    ids: (pattern) => `SELECT o.id FROM ${table} o JOIN ${target} r ON r.id = o.${column} WHERE ${matches(pattern)}`,
    lookup: 'ids',
  };
}

/** Number of ancestors of the node in its tree. */
export const treeDepth = integer({ readOnly: true, filterable: false });

/** Fields of a node's parent in nested form (docs/contract/inventory.md 1.4). */
export const treeParentShape = { ...identity, name: requiredName, slug: requiredSlug, _depth: treeDepth };
