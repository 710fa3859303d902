import type { JoinTable } from '../../engine/declaration/field.js';

/** Join table that assigns users to their groups. */
export const userGroupsJoinTable: JoinTable = { table: 'users_user_groups', own: 'user_id', other: 'group_id' };

/** Join table that assigns object permissions to users directly, not through a group. */
export const userPermissionsJoinTable: JoinTable = {
  table: 'users_user_object_permissions',
  own: 'user_id',
  other: 'objectpermission_id',
};

/** Join table that assigns object permissions to groups. */
export const groupPermissionsJoinTable: JoinTable = {
  table: 'users_group_object_permissions',
  own: 'group_id',
  other: 'objectpermission_id',
};

/**
 * Returns a join table in the form that the other model of the relation needs, with the columns `own` and `other`
 * exchanged.
 */
export function createReverseJoinTable({ table, own, other }: JoinTable): JoinTable {
  return { table, own: other, other: own };
}
