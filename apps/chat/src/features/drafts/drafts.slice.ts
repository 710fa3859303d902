import { defineSlice } from '../../events/define-feature-slice.js';
import { DraftsController } from './drafts.controller.js';
import { draftEvents } from './drafts.events.js';
import { draftSnapshotParts } from './drafts.snapshot.js';
import { DraftsService } from './drafts.action.js';

/** Feature module (slice) of drafts: its endpoints, events and snapshot parts. */
export const draftsSlice = defineSlice('drafts', {
  controllers: [DraftsController],
  providers: [DraftsService],
  events: draftEvents,
  snapshotParts: draftSnapshotParts,
});
