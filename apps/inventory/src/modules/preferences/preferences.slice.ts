import { defineFeatureModule } from '../../http/define-slice.js';
import { DashboardController } from './dashboard.controller.js';
import { allowedPreferencesMethods, preferencesOpenApiPaths } from './preferences-paths.js';
import { PreferencesController } from './preferences.controller.js';

export const preferencesFeatureModule = defineFeatureModule('preferences', {
  controllers: [PreferencesController, DashboardController],
  methods: allowedPreferencesMethods,
  listedPaths: ['users/config'],
  openApi: () => ({ paths: preferencesOpenApiPaths }),
});
