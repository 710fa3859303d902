import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { DraftsController } from './drafts.controller.js';
import { draftEvents } from './drafts.events.js';
import { draftSnapshotParts } from './drafts.snapshot.js';
import { DraftsService } from './drafts.action.js';

/** Feature module (slice) that provides the endpoints, events and response parts of drafts. */
export const draftsFeatureModule = defineFeatureModule('drafts', {
  controllers: [DraftsController],
  providers: [DraftsService],
  events: draftEvents,
  snapshotParts: draftSnapshotParts,
});
