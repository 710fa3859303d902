import type { ApiFeatureModule } from './http/define-slice.js';
import { allocationFeatureModule } from './modules/allocation/allocation.slice.js';
import { backgroundTasksFeatureModule } from './modules/background/background.slice.js';
import { cablePathsFeatureModule } from './modules/cable-paths/cable-paths.slice.js';
import { customFieldsFeatureModule } from './modules/custom-fields/custom-fields.slice.js';
import { dataSourcesFeatureModule } from './modules/data-sources/data-sources.slice.js';
import { rackElevationsFeatureModule } from './modules/elevations/elevations.slice.js';
import { frontPageFeatureModule } from './modules/front-page/front-page.slice.js';
import { preferencesFeatureModule } from './modules/preferences/preferences.slice.js';
import { queueBoardFeatureModule } from './modules/queue-board/queue-board.slice.js';
import { savedFiltersFeatureModule } from './modules/saved-filters/saved-filters.slice.js';
import { scriptsFeatureModule } from './modules/scripts/scripts.slice.js';
import { sessionsFeatureModule } from './modules/sessions/sessions.slice.js';
import { templatesFeatureModule } from './modules/templates/templates.slice.js';
import { tokensFeatureModule } from './modules/tokens/tokens.slice.js';
import { webhookDeliveriesFeatureModule } from './modules/webhook-deliveries/webhook-deliveries.slice.js';

/** All slices (feature modules) of the folder `modules/`, in the order of their paths in the OpenAPI document. */
export const inventoryFeatureModules: readonly ApiFeatureModule[] = [
  allocationFeatureModule,
  cablePathsFeatureModule,
  customFieldsFeatureModule,
  dataSourcesFeatureModule,
  rackElevationsFeatureModule,
  tokensFeatureModule,
  preferencesFeatureModule,
  templatesFeatureModule,
  backgroundTasksFeatureModule,
  webhookDeliveriesFeatureModule,
  scriptsFeatureModule,
  savedFiltersFeatureModule,
  frontPageFeatureModule,
  sessionsFeatureModule,
  queueBoardFeatureModule,
];
