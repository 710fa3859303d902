import { defineModel } from '../../engine/declaration/model.js';
import type { Filter } from '../../engine/filter/filter.js';
import { readType } from '../../engine/filter/object-type-filter.js';
import { computed } from '../../engine/kinds/computed.js';
import { integer } from '../../engine/kinds/number.js';
import { objectTypes } from '../../engine/kinds/object-type.js';
import { color, slug } from '../../engine/kinds/text.js';
import { sql } from '../../engine/sql/pieces.js';
import * as common from '../field-groups.js';

const count = (alias: string): string =>
  `(SELECT count(*) FROM extras_taggeditem item WHERE item.tag_id = ${alias}.id)`;

/** Tags that objects of one of these models have. */
const contentTypeFilter: Filter = {
  name: 'content_type',
  lookups: [],
  multiple: true,
  schema: { type: 'string' },
  compile: ({ alias, values, parameters }) =>
    `${alias}.id IN (SELECT item.tag_id FROM extras_taggeditem item WHERE item.object_type = ANY (${parameters.add(values.map(readType), 'text[]')}))`,
};

/** A label for objects of any model, or of those it is restricted to. */
export const tag = defineModel('extras.tag', {
  path: 'extras/tags',
  objectName: 'Tag',
  verboseName: 'tag',
  verboseNamePlural: 'tags',
  fields: {
    ...common.identity,
    name: common.requiredName,
    slug: slug({
      pattern: {
        expression: /^[-\p{L}\p{N}_]+$/u,
        message: 'Enter a valid "slug" consisting of Unicode letters, numbers, underscores, or hyphens.',
      },
    }),
    color: color({ default: '9e9e9e' }),
    description: common.description,
    weight: integer({ default: 1000, min: 0, max: 32_767 }),
    object_types: objectTypes(
      ({ registry }) => registry.models.filter(({ fields }) => fields['tags'] !== undefined).map(({ type }) => type),
      { label: 'object types' },
    ),
    tagged_items: computed(
      {
        json: ({ alias }) => [sql(count(alias))],
        schema: { type: 'integer' },
        metadataType: 'integer',
        order: ({ alias }) => [count(alias)],
      },
      'count',
    ),
    ...common.times,
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'slug', 'color', 'description'],
  nested: ['id', 'url', 'display_url', 'display', 'name', 'slug', 'color'],
  order: [{ field: 'weight' }, { field: 'name' }],
  search: common.searchIn('name', 'slug', 'description'),
  constraints: [
    { name: 'extras_tag_name_key', fields: ['name'] },
    { name: 'extras_tag_slug_key', fields: ['slug'] },
  ],
  filters: [contentTypeFilter],
});
