export { settingsSlice } from './settings.slice.js';
export { SettingChanges } from './setting-changes.js';
export { lockSettings } from './settings.repository.js';
