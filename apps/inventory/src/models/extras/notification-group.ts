import { defineModel } from '../../engine/declaration/define-model.js';
import { manyToManyField } from '../../engine/field-types/many-to-many.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';

const { id, url, display_url, display } = common.identityFields;

/** Model of a notification group: users and groups that are notified together. */
export const notificationGroupModel = defineModel('extras.notificationgroup', {
  path: 'extras/notification-groups',
  objectName: 'NotificationGroup',
  verboseName: 'notification group',
  verboseNamePlural: 'notification groups',
  fields: {
    id,
    url,
    display,
    display_url,
    name: textField({ max: 100, required: true, filterable: false }),
    description: textField({ max: 200, filterable: false }),
    groups: manyToManyField('users.group', {
      join: { table: 'extras_notificationgroup_groups', own: 'notificationgroup_id', other: 'group_id' },
    }),
    users: manyToManyField('users.user', {
      join: { table: 'extras_notificationgroup_users', own: 'notificationgroup_id', other: 'user_id' },
    }),
  },
  display: (alias) => `${alias}.name`,
  brief: ['id', 'url', 'display', 'name', 'description'],
  order: [{ field: 'name' }],
  constraints: [{ name: 'extras_notificationgroup_name_key', fields: ['name'] }],
});
