import { defineModel } from '../../engine/declaration/define-model.js';
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

/**
 * Model of a user's subscription to changes of an object. When the object is deleted, the subscription is deleted after
 * a last notification.
 */
export const subscriptionModel = defineModel('extras.subscription', {
  path: 'extras/subscriptions',
  objectName: 'Subscription',
  verboseName: 'subscription',
  verboseNamePlural: 'subscriptions',
  events: false,
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
      allowed: modelsWithNotifications,
      keepOnTargetDelete: true,
      viewedOnly: true,
    }),
    user: referenceField('users.user', { required: true, viewedOnly: true, onDelete: 'cascade', filterable: false }),
    created: datetimeField({ readOnly: true, filterable: false }),
  },
  display: createObjectDisplaySqlBuilder(modelsWithNotifications),
  brief: ['id', 'url', 'display', 'object_type', 'object_id', 'user'],
  order: [{ field: 'created', descending: true }, { field: 'user' }],
  constraints: [
    { name: 'extras_subscription_object_type_object_id_user_id_key', fields: ['object_type', 'object_id', 'user'] },
  ],
});
