import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { PlaygroundsService } from './playgrounds.action.js';
import { PlaygroundsController } from './playgrounds.controller.js';
import { playgroundEvents } from './playgrounds.events.js';
import { playgroundSnapshotParts } from './playgrounds.snapshot.js';

/**
 * Feature module (slice) of code playgrounds. The module declares endpoints, events and snapshot parts (fields of the
 * `POST /register` response).
 */
export const playgroundsFeatureModule = defineFeatureModule('playgrounds', {
  controllers: [PlaygroundsController],
  providers: [PlaygroundsService],
  events: playgroundEvents,
  snapshotParts: playgroundSnapshotParts,
});
