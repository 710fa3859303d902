export {
  addSystemGroups,
  addToSystemGroup,
  getSystemGroups,
  type SystemGroupName,
  type SystemGroups,
} from './system-groups.js';
export {
  groupSettingValue,
  GroupSettingValues,
  type GroupRecord,
  type GroupSettingValue,
} from './group-setting-value.js';
export {
  groupRecord,
  listGroups,
  toWireUserGroup,
  wireUserGroup,
  type UserGroupRow,
} from './user-groups.repository.js';
