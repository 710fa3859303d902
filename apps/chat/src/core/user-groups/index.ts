export { userGroupsSlice } from './user-groups.slice.js';
export { addSystemGroups, getSystemGroups, type SystemGroups } from './system-groups.js';
export {
  canonicalValue,
  groupSettingChange,
  groupSettingValue,
  GroupSettingValues,
  sameValue,
  type GroupRecord,
  type GroupSettingChange,
  type GroupSettingValue,
} from './group-setting-value.js';
export { listNamelessGroups, removeReplacedGroups } from './setting-groups.repository.js';
export {
  changeGroupSettings,
  storeGroupSettings,
  type ChangedSetting,
  type SettingChange,
  type StoredSetting,
  type WantedSetting,
} from './store-group-settings.js';
export { listGroups, type UserGroupRow } from './user-groups.repository.js';
export { groupRecord, toWireUserGroup, wireUserGroup, type WireUserGroup } from './wire-user-group.js';
export { moveInRoleGroups } from './move-in-role-groups.js';
export { promoteMembers } from './promote-members.js';
export { placeInRoleGroups, type RoleGroupChange } from './role-groups.js';
export { writeMembershipEvents, writeRoleGroupEvents } from './membership-events.js';
export type { GroupLists, PermissionContext } from './group-lists.js';
export { snapshotGroups } from './user-groups.snapshot.js';
