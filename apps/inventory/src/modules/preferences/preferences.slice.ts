import { defineSlice } from '../../http/define-slice.js';
import { DashboardController } from './dashboard.controller.js';
import { preferencesMethods, preferencesPaths } from './preferences-paths.js';
import { PreferencesController } from './preferences.controller.js';

export const preferencesSlice = defineSlice('preferences', {
  controllers: [PreferencesController, DashboardController],
  methods: preferencesMethods,
  listedPaths: ['users/config'],
  openApi: () => ({ paths: preferencesPaths }),
});
