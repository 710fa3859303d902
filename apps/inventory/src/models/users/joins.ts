import type { Join } from '../../engine/declaration/field.js';

/** Groups of a user. */
export const groupsOfUser: Join = { table: 'users_user_groups', own: 'user_id', other: 'group_id' };

/** Object permissions assigned directly to a user, not through a group. */
export const permissionsOfUser: Join = {
  table: 'users_user_object_permissions',
  own: 'user_id',
  other: 'objectpermission_id',
};

/** Object permissions assigned to a group. */
export const permissionsOfGroup: Join = {
  table: 'users_group_object_permissions',
  own: 'group_id',
  other: 'objectpermission_id',
};

/** Returns the same join in the opposite direction. */
export function turned({ table, own, other }: Join): Join {
  return { table, own: other, other: own };
}
