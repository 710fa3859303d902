import { defineModel } from '../../engine/declaration/define-model.js';
import { datetimeFilter } from '../../engine/filter/number-filter.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { listModelsWithFeature } from '../features/feature-groups.js';
import * as common from '../shared-model-fields.js';
import { createObjectTypeChoicesLister } from '../object-type-choices.js';
import { objectTypeNumberFilter } from '../object-type-ids.js';
import { createObjectDisplaySqlBuilder } from './object-display-sql.js';

const modelsWithBookmarks = listModelsWithFeature('bookmarks');

const { id, url, display } = common.identityFields;

/** Model of a bookmark: a user's mark on an object. */
export const bookmarkModel = defineModel('extras.bookmark', {
  path: 'extras/bookmarks',
  objectName: 'Bookmark',
  verboseName: 'bookmark',
  verboseNamePlural: 'bookmarks',
  events: false,
  fields: {
    id,
    url,
    display,
    object_type: objectTypeField(modelsWithBookmarks, {
      required: true,
      choices: createObjectTypeChoicesLister(({ type }) => modelsWithBookmarks.includes(type)),
    }),
    object_id: integerField({ required: true, min: 0 }),
    object: genericObjectField({
      type: 'object_type',
      id: 'object_id',
      allowed: modelsWithBookmarks,
      viewedOnly: true,
    }),
    user: referenceField('users.user', { required: true, viewedOnly: true, onDelete: 'cascade', filterBy: 'username' }),
    created: common.creationTimeFields.created,
  },
  display: createObjectDisplaySqlBuilder(modelsWithBookmarks),
  brief: ['id', 'url', 'display', 'object_id', 'object_type'],
  nested: ['id', 'url', 'display', 'object_type', 'object_id'],
  order: [{ field: 'created' }],
  constraints: [
    { name: 'extras_bookmark_object_type_object_id_user_id_key', fields: ['object_type', 'object_id', 'user'] },
  ],
  filters: [
    { ...datetimeFilter('created', (alias) => `${alias}.created`), lookups: [], multiple: false },
    objectTypeNumberFilter,
  ],
});
