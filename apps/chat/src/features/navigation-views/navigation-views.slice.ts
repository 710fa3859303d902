import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { NavigationViewsService } from './navigation-views.action.js';
import { NavigationViewsController } from './navigation-views.controller.js';
import { navigationViewEvents } from './navigation-views.events.js';
import { navigationViewSnapshotParts } from './navigation-views.snapshot.js';

/**
 * Feature module (slice) of navigation views. The module declares endpoints, events and snapshot parts (fields of the
 * `POST /register` response).
 */
export const navigationViewsFeatureModule = defineFeatureModule('navigation-views', {
  controllers: [NavigationViewsController],
  providers: [NavigationViewsService],
  events: navigationViewEvents,
  snapshotParts: navigationViewSnapshotParts,
});
