export { draftsFeatureModule } from './drafts.slice.js';
export { draftsRemoveEvent } from './drafts.events.js';
export { removeAllDrafts } from './drafts.repository.js';
