export { userGroupsFeatureModule } from './user-groups.slice.js';
export {
  addSystemGroupsOfRealm,
  readSystemGroupIds,
  addSystemGroupNesting,
  systemGroupNames,
  type SystemGroupIdByName,
} from './system-groups.js';
export {
  groupPermissionChangeSchema,
  groupPermissionValueSchema,
  PermissionValueByGroupId,
  type GroupPermissionValue,
} from './group-setting-value.js';
export { listAnonymousGroups, removeReplacedAnonymousGroups } from './permission-groups.repository.js';
export {
  storeGroupPermissionChanges,
  storeGroupPermissions,
  type ChangedGroupPermission,
} from './store-group-settings.js';
export { moveMembersBetweenMemberGroups } from './move-between-member-groups.js';
export { promoteMembersToFullMembers } from './promote-new-members.js';
export { assignUsersToRoleGroups } from './assign-role-groups.js';
export { emitUserGroupMembershipChanges, emitSystemGroupMemberChanges } from './emit-membership-changes.js';
export type { SystemGroupsAndPermissionValues } from './group-list-cache.js';
export { readUserGroupsForSnapshot } from './user-groups.snapshot.js';
