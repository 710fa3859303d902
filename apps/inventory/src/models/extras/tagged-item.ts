import { defineModel } from '../../engine/declaration/define-model.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { listModelsWithFeature } from '../features/feature-groups.js';
import * as common from '../shared-model-fields.js';
import { createModelIdFilter } from '../object-type-ids.js';
import { createObjectDisplaySqlBuilder } from './object-display-sql.js';

const modelsWithTags = listModelsWithFeature('tags');

const { id, url, display } = common.identityFields;

const createTaggedObjectDisplaySql = createObjectDisplaySqlBuilder(modelsWithTags);

/**
 * Field of a tag assignment that refers to the tagged object. The reference needs no deletion rule, because writes that
 * delete an object also remove its tag assignments.
 */
const taggedObjectField = genericObjectField({
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
    object: taggedObjectField,
    tag: referenceField('extras.tag', { readOnly: true, onDelete: 'cascade', isIndexedWithId: true }),
  },
  display: (alias, registry) =>
    `${createTaggedObjectDisplaySql(alias, registry)} || ' tagged with ' || (SELECT r.name FROM extras_tag r WHERE r.id = ${alias}.tag_id)`,
  brief: ['id', 'url', 'display', 'object_type', 'object_id', 'object', 'tag'],
  order: [{ field: 'tag' }],
  search: [common.createReferenceSearchTerm('tag_id', 'extras_tag', 'name', 'slug', 'description')],
  filters: [createModelIdFilter('object_type_id')],
});
