export { presenceFeatureModule } from './presence.slice.js';
export { offlineAfterSeconds } from './presence-formats.js';
export { presenceEvent } from './presence.events.js';
export { listPresencesToEmit, recordPresences } from './presence.repository.js';
