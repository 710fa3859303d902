import type { FilterSource } from '../engine/filter/filter.js';
import { requestFilters } from '../engine/filter/request-filters.js';
import { customFields } from '../engine/field-types/custom-fields.js';
import { display, displayUrl, id, url } from '../engine/field-types/computed-field.js';
import { datetime } from '../engine/field-types/datetime.js';
import { integer } from '../engine/field-types/number.js';
import { referenceField } from '../engine/field-types/relation.js';
import { addFilters } from '../engine/field-types/traits.js';
import { slug, text } from '../engine/field-types/text.js';
import { tagsField } from '../engine/field-types/tags.js';
import type { SearchTerm } from '../engine/declaration/model.js';
import type { Sql } from '../engine/sql/json-fragments.js';

/** First fields of every object: id, URLs and display name. */
export const identityFields = { id: id(), url: url(), display_url: displayUrl(), display: display() };

/** Fields with the times of creation and last update of an object. */
export const timeFields = {
  created: datetime({ readOnly: true, nullable: true }),
  last_updated: addFilters(
    datetime({ readOnly: true, nullable: true, label: 'last updated' }),
    requestFilters('core.objectchange'),
  ),
};

/** Field with the tags of an object. */
export const tags = tagsField({ type: 'extras.tag', assignments: 'extras_taggeditem' });

/** Filters by tag, for models whose responses do not show tags. */
export const tagFilters: FilterSource = (model, registry) => tags.filters('tags', registry, model);

/** Field with the values of an object's custom fields. */
export const customFieldValues = customFields();

/** Field with the owner of an object. */
export const owner = referenceField('users.owner', {
  nullable: true,
  filterBy: 'name',
  onward: [{ filter: 'owner_group', path: 'group', by: 'name' }],
});

/** Field with a short description of an object. */
export const description = text({ max: 200 });

/** Field with free text about an object. */
export const comments = text();

/** Field with the name of an object, required and sorted in natural order. */
export const requiredName = text({ max: 100, required: true });

/** Field with the slug of an object, which is required; see {@link slug}. */
export const requiredSlug = slug();

/** Returns terms for the search parameter `q` that search columns of the model's table. */
export function searchIn(...columns: readonly string[]): readonly SearchTerm[] {
  return columns.map((column) => ({ sql: (alias) => `${alias}."${column}"`, lookup: 'icontains' }));
}

/**
 * Returns a term for the search parameter `q` that searches columns of another table. `column` is the column of the
 * model's table that refers to that table.
 */
export function searchInOtherTable(table: Sql, column: Sql, target: Sql, ...columns: readonly Sql[]): SearchTerm {
  const matches = (pattern: Sql): Sql => columns.map((name) => `r.${name} ILIKE ${pattern}`).join(' OR ');
  return {
    ids: (pattern) => `SELECT o.id FROM ${table} o JOIN ${target} r ON r.id = o.${column} WHERE ${matches(pattern)}`,
    lookup: 'ids',
  };
}

/** Field with the number of ancestors of a node in its tree. */
export const treeDepth = integer({ readOnly: true, filterable: false });

/** Fields that the nested parent of a tree node shows (docs/contract/inventory.md 1.4). */
export const treeParentShape = { ...identityFields, name: requiredName, slug: requiredSlug, _depth: treeDepth };
