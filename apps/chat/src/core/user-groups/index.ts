export { userGroupsSlice } from './user-groups.slice.js';
export {
  addSystemGroups,
  getSystemGroups,
  addSystemGroupNesting,
  systemGroupNames,
  type SystemGroups,
} from './system-groups.js';
export {
  groupSettingChangeSchema,
  groupSettingValueSchema,
  GroupSettingValues,
  type GroupSettingValue,
} from './group-setting-value.js';
export { listAnonymousGroups, removeReplacedGroups } from './permission-groups.repository.js';
export { changeGroupSettings, storeGroupSettings, type ChangedGroupSetting } from './store-group-settings.js';
export { moveBetweenMemberGroups } from './move-between-member-groups.js';
export { promoteMembers } from './promote-new-members.js';
export { assignRoleGroups } from './assign-role-groups.js';
export { emitMembershipChanges, emitRoleGroupChanges } from './emit-membership-changes.js';
export type { PermissionContext } from './group-list-cache.js';
export { readSnapshotGroups } from './user-groups.snapshot.js';
