import { defineModel } from '../../engine/declaration/define-model.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { modelsWithFeature } from '../features/feature-groups.js';
import * as common from '../shared-model-fields.js';
import { modelIdFilter } from '../object-type-ids.js';
import { objectDisplaySql } from './object-display-sql.js';

const modelsWithTags = modelsWithFeature('tags');

const { id, url, display } = common.identityFields;

const taggedObjectDisplaySql = objectDisplaySql(modelsWithTags);

/**
 * Field of a tag assignment that refers to the tagged object. The reference needs no deletion rule, because writes that
 * delete an object also remove its tag assignments.
 */
const taggedObject = genericObjectField({
  type: 'object_type',
  id: 'object_id',
  allowed: modelsWithTags,
  keepOnTargetDelete: true,
});

/** Model of the assignment of a tag to an object. */
export const taggedItemModel = defineModel('extras.taggeditem', {
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
    object_type: objectTypeField(modelsWithTags, { readOnly: true }),
    object_id: integerField({ required: true, min: -2_147_483_648, max: 2_147_483_647 }),
    object: taggedObject,
    tag: referenceField('extras.tag', { readOnly: true, onDelete: 'cascade', isIndexedWithId: true }),
  },
  display: (alias, registry) =>
    `${taggedObjectDisplaySql(alias, registry)} || ' tagged with ' || (SELECT r.name FROM extras_tag r WHERE r.id = ${alias}.tag_id)`,
  brief: ['id', 'url', 'display', 'object_type', 'object_id', 'object', 'tag'],
  order: [{ field: 'tag' }],
  search: [
    { sql: (alias) => `(SELECT r.name FROM extras_tag r WHERE r.id = ${alias}.tag_id)`, lookup: 'icontains' },
    { sql: (alias) => `(SELECT r.slug FROM extras_tag r WHERE r.id = ${alias}.tag_id)`, lookup: 'icontains' },
    { sql: (alias) => `(SELECT r.description FROM extras_tag r WHERE r.id = ${alias}.tag_id)`, lookup: 'icontains' },
  ],
  filters: [modelIdFilter('object_type_id')],
});
