export { settingsSlice } from './settings.slice.js';
export { SettingChanges } from './apply-setting-changes.js';
export { lockSettings } from './settings.repository.js';
