import { defineModel } from '../../engine/declaration/define-model.js';
import type { ListFilter } from '../../engine/filter/filter-problem.js';
import { filterIgnoringUnknownIds } from '../../engine/filter/filter-ignoring-unknown-ids.js';
import { parseObjectTypeName } from '../../engine/filter/object-type-filter.js';
import { referencePathFilters } from '../../engine/filter/path-filter.js';
import { resolveStepThroughIdColumn } from '../../engine/filter/resolve-reference-path.js';
import { computedField } from '../../engine/field-types/computed-field.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeListField } from '../../engine/field-types/object-type.js';
import { colorField, slugField } from '../../engine/field-types/text.js';
import { createComputedJsonFragment } from '../../engine/sql/json-text-sql.js';
import * as common from '../shared-model-fields.js';
import { createModelIdFilter } from '../object-type-ids.js';

const createTaggedItemCountSql = (alias: string): string =>
  `(SELECT count(*) FROM extras_taggeditem item WHERE item.tag_id = ${alias}.id)`;

/**
 * Reference path from a tag to the owner of the tag. Filters use the path, although responses do not show the owner.
 */
const referencePathToTagOwner = resolveStepThroughIdColumn('owner_id', 'users.owner');

const objectTypeTable = { table: 'core_objecttype' };
const createTypeNamesSql = (ids: string): string =>
  `ARRAY(SELECT known.app_label || '.' || known.model FROM core_objecttype known WHERE known.id = ANY (${ids}))`;

/**
 * Returns the SQL condition that a tag is assigned to an object of one of the given models. `types` is an SQL array
 * expression of the models.
 */
const createTagUsedCondition = (alias: string, types: string): string =>
  `${alias}.id IN (SELECT item.tag_id FROM extras_taggeditem item WHERE item.object_type = ANY (${types}))`;

/** Filter for tags that are assigned to objects of one of the given models. */
const tagContentTypeFilter: ListFilter = {
  name: 'content_type',
  lookups: [],
  multiple: true,
  schema: { type: 'string' },
  compile: ({ alias, values, parameters }) =>
    createTagUsedCondition(alias, parameters.add(values.map(parseObjectTypeName), 'text[]')),
};

/** Model of a tag: a label for objects. A tag can be restricted to objects of some models. */
export const tagModel = defineModel('extras.tag', {
  path: 'extras/tags',
  objectName: 'Tag',
  verboseName: 'tag',
  verboseNamePlural: 'tags',
  fields: {
    ...common.identityFields,
    name: common.requiredNameField,
    slug: slugField({
      pattern: {
        expression: /^[-\p{L}\p{N}_]+$/u,
        message: 'Enter a valid "slug" consisting of Unicode letters, numbers, underscores, or hyphens.',
      },
    }),
    color: colorField({ default: '9e9e9e' }),
    description: common.descriptionField,
    weight: integerField({ default: 1000, min: 0, max: 32_767 }),
    object_types: objectTypeListField(
      ({ registry }) => registry.models.filter(({ fields }) => fields['tags'] !== undefined).map(({ type }) => type),
      { label: 'object types' },
    ),
    tagged_items: computedField(
      {
        json: ({ alias }) => [createComputedJsonFragment(createTaggedItemCountSql(alias))],
        schema: { type: 'integer' },
        order: ({ alias }) => [createTaggedItemCountSql(alias)],
      },
      'count',
    ),
    ...common.creationTimeFields,
  },
  changeLogMembers: { owner: (alias) => `coalesce(${alias}.owner_id::text, 'null')` },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'color', 'description'],
  nested: ['id', 'url', 'display_url', 'display', 'name', 'slug', 'color'],
  order: [{ field: 'weight' }, { field: 'name' }],
  search: common.createFieldSearchTerms('name', 'slug', 'description'),
  constraints: [
    { name: 'extras_tag_name_key', fields: ['name'] },
    { name: 'extras_tag_slug_key', fields: ['slug'] },
  ],
  filters: [
    tagContentTypeFilter,
    filterIgnoringUnknownIds('content_type_id', objectTypeTable, 'id', (alias, ids) =>
      createTagUsedCondition(alias, createTypeNamesSql(ids)),
    ),
    filterIgnoringUnknownIds(
      'for_object_type_id',
      objectTypeTable,
      'id',
      (alias, ids) => `(${alias}.object_types = '{}' OR ${alias}.object_types && ${createTypeNamesSql(ids)})`,
    ),
    createModelIdFilter('object_types', { list: true }),
    referencePathFilters('owner', [referencePathToTagOwner], 'name'),
    referencePathFilters('owner_group', [referencePathToTagOwner, 'group'], 'name'),
  ],
});
