import { defineModel } from '../../engine/declaration/model.js';
import { integer } from '../../engine/kinds/number.js';
import { objectType } from '../../engine/kinds/object-type.js';
import { ref } from '../../engine/kinds/relation.js';
import { withTags } from '../features/tags.js';
import * as common from '../field-groups.js';

const { id, url, display } = common.identity;

/** That an object has a tag. */
export const taggedItem = defineModel('extras.taggeditem', {
  path: 'extras/tagged-objects',
  objectName: 'TaggedItem',
  verboseName: 'tagged item',
  verboseNamePlural: 'tagged items',
  events: false,
  methods: { list: ['GET', 'HEAD', 'OPTIONS'], detail: ['GET', 'HEAD', 'OPTIONS'] },
  fields: {
    id,
    url,
    display,
    object_type: objectType(withTags, { readOnly: true }),
    object_id: integer({ required: true, min: -2_147_483_648, max: 2_147_483_647 }),
    // DRAFT field: object (computed)
    tag: ref('extras.tag', { readOnly: true, onDelete: 'cascade' }),
  },
  // DRAFT display: what the object is called is more than this
  display: (alias) =>
    `${alias}.object_type || ' ' || ${alias}.object_id || ' tagged with ' || (SELECT tag.name FROM extras_tag tag WHERE tag.id = ${alias}.tag_id)`,
  // DRAFT brief: and object
  brief: ['id', 'url', 'display', 'object_type', 'object_id', 'tag'],
  order: [
    { sql: (alias) => `(SELECT r.weight FROM extras_tag r WHERE r.id = ${alias}.tag_id)` },
    { sql: (alias) => `(SELECT r.name FROM extras_tag r WHERE r.id = ${alias}.tag_id)` },
  ],
  search: [
    { sql: (alias) => `(SELECT r.name FROM extras_tag r WHERE r.id = ${alias}.tag_id)`, lookup: 'icontains' },
    { sql: (alias) => `(SELECT r.slug FROM extras_tag r WHERE r.id = ${alias}.tag_id)`, lookup: 'icontains' },
    { sql: (alias) => `(SELECT r.description FROM extras_tag r WHERE r.id = ${alias}.tag_id)`, lookup: 'icontains' },
  ],
  // DRAFT rules: read only list of tag assignments
  // DRAFT filters: object_type_id (object_multi, n): path content_type_id
});
