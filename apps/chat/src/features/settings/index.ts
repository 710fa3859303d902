export { ChangePassword } from './change-password.js';
export { SettingChanges } from './setting-changes.js';
export { SettingsController } from './settings.controller.js';
export { settingsEvents } from './settings.events.js';
export { lockSettings } from './settings.repository.js';
export { UpdateDefaults } from './update-defaults.action.js';
export { UpdateSettings } from './update-settings.action.js';
