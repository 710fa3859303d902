export { presenceSlice } from './presence.slice.js';
export { offlineAfterSeconds } from './presence-record.js';
export { presenceEvent } from './presence.events.js';
export { listPresencesToEmit, recordPresences } from './presence.repository.js';
