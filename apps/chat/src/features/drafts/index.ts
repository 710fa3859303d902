export { draftEvents, draftsRemoveEvent } from './drafts.events.js';
export { DraftsController } from './drafts.controller.js';
export { draftSnapshotParts } from './drafts.snapshot.js';
export { ManageDrafts } from './manage-drafts.action.js';
export { removeAllDrafts } from './drafts.repository.js';
