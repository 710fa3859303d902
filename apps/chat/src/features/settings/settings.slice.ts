import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { ChangePassword } from './change-password.js';
import { CommandsController } from './slash-commands.controller.js';
import { RunSlashCommand } from './run-slash-command.action.js';
import { UserSettingsChanger } from './apply-setting-changes.js';
import { SettingsController } from './settings.controller.js';
import { settingsEvents } from './settings.events.js';
import { UpdateDefaultUserSettings } from './update-default-settings.action.js';
import { UpdateSettings } from './update-settings.action.js';

/** Feature module (slice) of settings. The module declares endpoints and events. */
export const settingsFeatureModule = defineFeatureModule('settings', {
  controllers: [CommandsController, SettingsController],
  providers: [ChangePassword, RunSlashCommand, UserSettingsChanger, UpdateDefaultUserSettings, UpdateSettings],
  events: settingsEvents,
});
