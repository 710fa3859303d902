import type { ApiSlice } from './http/define-slice.js';
import { allocationSlice } from './modules/allocation/allocation.slice.js';
import { backgroundSlice } from './modules/background/background.slice.js';
import { cablePathsSlice } from './modules/cable-paths/cable-paths.slice.js';
import { customFieldsSlice } from './modules/custom-fields/custom-fields.slice.js';
import { dataSourcesSlice } from './modules/data-sources/data-sources.slice.js';
import { elevationsSlice } from './modules/elevations/elevations.slice.js';
import { frontPageSlice } from './modules/front-page/front-page.slice.js';
import { preferencesSlice } from './modules/preferences/preferences.slice.js';
import { queueBoardSlice } from './modules/queue-board/queue-board.slice.js';
import { savedFiltersSlice } from './modules/saved-filters/saved-filters.slice.js';
import { scriptsSlice } from './modules/scripts/scripts.slice.js';
import { sessionsSlice } from './modules/sessions/sessions.slice.js';
import { templatesSlice } from './modules/templates/templates.slice.js';
import { tokensSlice } from './modules/tokens/tokens.slice.js';
import { webhookDeliveriesSlice } from './modules/webhook-deliveries/webhook-deliveries.slice.js';

/** All slices (feature modules) of the folder `modules/`, in the order of their paths in the OpenAPI document. */
export const inventorySlices: readonly ApiSlice[] = [
  allocationSlice,
  cablePathsSlice,
  customFieldsSlice,
  dataSourcesSlice,
  elevationsSlice,
  tokensSlice,
  preferencesSlice,
  templatesSlice,
  backgroundSlice,
  webhookDeliveriesSlice,
  scriptsSlice,
  savedFiltersSlice,
  frontPageSlice,
  sessionsSlice,
  queueBoardSlice,
];
