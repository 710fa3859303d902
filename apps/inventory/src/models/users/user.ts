import { defineModel } from '../../engine/declaration/define-model.js';
import { booleanField } from '../../engine/field-types/boolean.js';
import { datetimeField } from '../../engine/field-types/datetime.js';
import { booleanFilter } from '../../engine/filter/boolean-filter.js';
import { referencePathFilters, relatedObjectFilter } from '../../engine/filter/path-filter.js';
import { resolveStepToReferringObjects } from '../../engine/filter/resolve-reference-path.js';
import { manyToManyField } from '../../engine/field-types/many-to-many.js';
import { textField } from '../../engine/field-types/text.js';
import * as common from '../shared-model-fields.js';
import { userGroupsJoinTable, userPermissionsJoinTable } from './user-and-group-join-tables.js';
import { listPasswordProblems } from './password-rules.js';

/** Model of a user account. */
export const userModel = defineModel('users.user', {
  path: 'users/users',
  objectName: 'User',
  verboseName: 'user',
  verboseNamePlural: 'users',
  events: false,
  audit: { noun: 'user', shownFields: ['is_active', 'groups', 'permissions'], hiddenField: 'password' },
  fields: {
    ...common.identityFields,
    username: textField({
      max: 150,
      required: true,
      pattern: {
        expression: /^[\p{L}\p{N}_.@+-]+$/u,
        message: 'Enter a valid username. This value may contain only letters, numbers, and @/./+/-/_ characters.',
      },
    }),
    password: textField({ max: 128, required: true, writeOnly: true, columnType: 'varchar(255)' }),
    first_name: textField({ max: 150, label: 'first name' }),
    last_name: textField({ max: 150, label: 'last name' }),
    email: textField({
      max: 254,
      metadataType: 'email',
      label: 'email address',
      pattern: { expression: /^[^\s@]+@[^\s@]+\.[^\s@]+$/, message: 'Enter a valid email address.' },
    }),
    is_active: booleanField({ default: true, label: 'active' }),
    date_joined: datetimeField({ default: () => new Date().toISOString(), label: 'date joined' }),
    last_login: datetimeField({ nullable: true, label: 'last login' }),
    groups: manyToManyField('users.group', { join: userGroupsJoinTable, filter: { name: 'group', by: 'name' } }),
    permissions: manyToManyField('users.objectpermission', {
      join: userPermissionsJoinTable,
      filter: { name: 'permission', by: null },
    }),
  },
  display: (alias) =>
    `${alias}.username || coalesce(' (' || nullif(trim(concat(${alias}.first_name, ' ', ${alias}.last_name)), '') || ')', '')`,
  brief: ['id', 'url', 'display', 'username'],
  order: [{ field: 'username' }],
  search: common.createFieldSearchTerms('username', 'first_name', 'last_name', 'email'),
  filters: [
    booleanFilter('is_superuser', (alias) => `${alias}.is_superuser`),
    referencePathFilters('owner', [resolveStepToReferringObjects('users.owner', 'users')], 'name'),
    relatedObjectFilter('notification_group_id', [resolveStepToReferringObjects('extras.notificationgroup', 'users')]),
  ],
  constraints: [
    { name: 'users_user_username_key', fields: ['username'] },
    { name: 'users_user_username_similar', key: '__all__', message: 'A user with this username already exists.' },
  ],
  rules: [
    ({ password }, { previous }) => {
      const messages = password === previous?.password ? [] : listPasswordProblems(password ?? '');
      return messages.length === 0 ? null : { non_field_errors: messages };
    },
  ],
  hooks: {
    prepare: async ({ password }, { previous, services, ahead }) => {
      if (password === previous?.password) return { columns: {} };
      const plain = password ?? '';
      return { columns: { password: await ahead(`password ${plain}`, () => services.hashPassword(plain)) } };
    },
  },
});
