export { settingsFeatureModule } from './settings.slice.js';
export { UserSettingsChanger } from './apply-setting-changes.js';
export { lockAccountsForSettingsChange } from './settings.repository.js';
