import { defineModel } from '../../engine/declaration/define-model.js';
import { choiceField } from '../../engine/field-types/choice.js';
import { datetimeField } from '../../engine/field-types/datetime.js';
import { genericObjectField } from '../../engine/field-types/generic-object.js';
import { integerField } from '../../engine/field-types/number.js';
import { objectTypeField } from '../../engine/field-types/object-type.js';
import { referenceField } from '../../engine/field-types/relation.js';
import { listModelsWithFeature } from '../features/feature-groups.js';
import * as common from '../shared-model-fields.js';
import { createObjectTypeChoicesLister } from '../object-type-choices.js';
import { createObjectDisplaySqlBuilder } from './object-display-sql.js';

const modelsWithNotifications = listModelsWithFeature('notifications');

const { id, url, display } = common.identityFields;

const notificationEventTypeLabels = {
  object_created: 'Object created',
  object_updated: 'Object updated',
  object_deleted: 'Object deleted',
  job_started: 'Job started',
  job_completed: 'Job completed',
  job_failed: 'Job failed',
  job_errored: 'Job errored',
};

const createNotifiedObjectDisplaySql = createObjectDisplaySqlBuilder(modelsWithNotifications);

/**
 * Model of a notification of a user about an object. The notification stores the name of the object, so that the name
 * remains after the object's deletion.
 */
export const notificationModel = defineModel('extras.notification', {
  path: 'extras/notifications',
  objectName: 'Notification',
  verboseName: 'notification',
  verboseNamePlural: 'notifications',
  events: false,
  hiddenColumns: { object_repr: 'varchar(200)' },
  fields: {
    id,
    url,
    display,
    object_type: objectTypeField(modelsWithNotifications, {
      required: true,
      filterable: false,
      choices: createObjectTypeChoicesLister(({ type }) => modelsWithNotifications.includes(type)),
    }),
    object_id: integerField({ required: true, min: 0, filterable: false }),
    object: genericObjectField({
      type: 'object_type',
      id: 'object_id',
      // Jobs notify of their end, but clients cannot create notifications about them.
      allowed: [...modelsWithNotifications, 'core.job'],
      keepOnTargetDelete: true,
      viewedOnly: true,
    }),
    user: referenceField('users.user', { required: true, viewedOnly: true, onDelete: 'cascade', filterable: false }),
    created: datetimeField({ readOnly: true, filterable: false }),
    read: datetimeField({ nullable: true, filterable: false }),
    event_type: choiceField(notificationEventTypeLabels, {
      required: true,
      raw: true,
      label: 'event',
      filterable: false,
    }),
  },
  display: (alias, registry) =>
    `coalesce(nullif(${alias}.object_repr, ''), ${createNotifiedObjectDisplaySql(alias, registry)})`,
  brief: ['id', 'url', 'display', 'object_type', 'object_id', 'user', 'read', 'event_type'],
  order: [{ field: 'created', descending: true }],
  hooks: {
    // A notification that a client creates stores no name. It is displayed by the object's name while the object
    // exists.
    prepare: async (_row, { previous }) => ({ columns: previous === null ? { object_repr: '' } : {} }),
  },
  constraints: [
    { name: 'extras_notification_object_type_object_id_user_id_key', fields: ['object_type', 'object_id', 'user'] },
  ],
});
