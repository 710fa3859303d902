import type { ModelFilterFactory } from '../engine/filter/filter-problem.js';
import { changeRequestFilters } from '../engine/filter/request-filters.js';
import { customFieldValuesField } from '../engine/field-types/custom-fields.js';
import { displayNameField, displayUrlField, idField, apiUrlField } from '../engine/field-types/computed-field.js';
import { datetimeField } from '../engine/field-types/datetime.js';
import { integerField } from '../engine/field-types/number.js';
import { referenceField } from '../engine/field-types/relation.js';
import { addFiltersToField } from '../engine/field-types/field-traits.js';
import { slugField, textField } from '../engine/field-types/text.js';
import { tagsField } from '../engine/field-types/tags-field.js';
import type { ModelSearchTerm } from '../engine/declaration/define-model.js';
import type { SqlText } from '../engine/sql/json-text-sql.js';

/** First fields of every object: the id, the URLs and the display name. */
export const identityFields = {
  id: idField(),
  url: apiUrlField(),
  display_url: displayUrlField(),
  display: displayNameField(),
};

/** Fields with the time of creation and the time of the last update of an object. */
export const creationTimeFields = {
  created: datetimeField({ readOnly: true, nullable: true }),
  last_updated: addFiltersToField(
    datetimeField({ readOnly: true, nullable: true, label: 'last updated' }),
    changeRequestFilters('core.objectchange'),
  ),
};

export const objectTagsField = tagsField({ type: 'extras.tag', assignments: 'extras_taggeditem' });

/** Filters of objects by their tags. The filters belong to models whose responses do not show tags. */
export const tagFilters: ModelFilterFactory = (model, registry) => objectTagsField.filters('tags', registry, model);

/** Field with the values of an object's custom fields. */
export const objectCustomFieldsField = customFieldValuesField();

/** Field with the owner of an object. */
export const ownerField = referenceField('users.owner', {
  nullable: true,
  filterBy: 'name',
  onward: [{ filter: 'owner_group', path: 'group', by: 'name' }],
});

/** Field with a short description of an object. */
export const descriptionField = textField({ max: 200 });

/** Field with free text about an object. */
export const commentsField = textField();

/** Field with the name of an object. The name is required. Names are sorted in natural order (`a2` before `a10`). */
export const requiredNameField = textField({ max: 100, required: true });

/** Field with the slug of an object, which is required; see {@link slugField}. */
export const requiredSlugField = slugField();

/**
 * Returns definitions for the search parameter `q` by which the search finds objects by the texts in columns of the
 * model's table.
 */
export function createFieldSearchTerms(...columns: readonly string[]): readonly ModelSearchTerm[] {
  return columns.map((column) => ({ sql: (alias) => `${alias}."${column}"`, lookup: 'icontains' }));
}

/**
 * Returns a definition for the search parameter `q` by which the search finds objects by texts in another table.
 * `column` is the column of the model's table that refers to the other table.
 */
export function createOtherTableSearchTerms(
  table: SqlText,
  column: SqlText,
  target: SqlText,
  ...columns: readonly SqlText[]
): ModelSearchTerm {
  const matches = (pattern: SqlText): SqlText => columns.map((name) => `r.${name} ILIKE ${pattern}`).join(' OR ');
  return {
    ids: (pattern) => `SELECT o.id FROM ${table} o JOIN ${target} r ON r.id = o.${column} WHERE ${matches(pattern)}`,
    lookup: 'ids',
  };
}

/**
 * Returns a definition for the search parameter `q` by which the search finds objects by texts of a referenced object.
 * The search first finds the ids of the referenced objects. An index on `column` then finds the objects that refer to
 * them. Few referenced objects match, unlike in {@link createOtherTableSearchTerms}.
 */
export function createReferenceSearchTerm(
  column: SqlText,
  target: SqlText,
  ...columns: readonly SqlText[]
): ModelSearchTerm {
  const matches = (pattern: SqlText): SqlText => columns.map((name) => `r.${name} ILIKE ${pattern}`).join(' OR ');
  return {
    refersTo: (alias, pattern) =>
      `${alias}.${column} = ANY (ARRAY(SELECT r.id FROM ${target} r WHERE ${matches(pattern)}))`,
    lookup: 'related',
  };
}

/** Field with the depth of a node in its tree: the number of the node's ancestors. */
export const treeDepthField = integerField({ readOnly: true, filterable: false });

/** Fields that a tree node shows of its nested parent node (docs/contract/inventory.md 1.4). */
export const treeParentFieldNames = {
  ...identityFields,
  name: requiredNameField,
  slug: requiredSlugField,
  _depth: treeDepthField,
};
