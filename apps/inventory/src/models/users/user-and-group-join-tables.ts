import type { JoinTable } from '../../engine/declaration/field.js';

/** Table that relates users to their groups. */
export const groupsOfUserTable: JoinTable = { table: 'users_user_groups', own: 'user_id', other: 'group_id' };

/** Table that relates users to object permissions assigned directly to them, not through a group. */
export const permissionsOfUserTable: JoinTable = {
  table: 'users_user_object_permissions',
  own: 'user_id',
  other: 'objectpermission_id',
};

/** Table that relates groups to their object permissions. */
export const permissionsOfGroupTable: JoinTable = {
  table: 'users_group_object_permissions',
  own: 'group_id',
  other: 'objectpermission_id',
};

/** Returns a join table as seen from the other model, with the columns `own` and `other` exchanged. */
export function reverseJoinTable({ table, own, other }: JoinTable): JoinTable {
  return { table, own: other, other: own };
}
