import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { SavedSnippetsService } from './saved-snippets.action.js';
import { SavedSnippetsController } from './saved-snippets.controller.js';
import { savedSnippetEvents } from './saved-snippets.events.js';
import { savedSnippetSnapshotParts } from './saved-snippets.snapshot.js';

/**
 * Feature module (slice) of saved snippets. The module declares endpoints, events and snapshot parts (fields of the
 * `POST /register` response).
 */
export const savedSnippetsFeatureModule = defineFeatureModule('saved-snippets', {
  controllers: [SavedSnippetsController],
  providers: [SavedSnippetsService],
  events: savedSnippetEvents,
  snapshotParts: savedSnippetSnapshotParts,
});
