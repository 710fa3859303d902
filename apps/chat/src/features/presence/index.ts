export { offlineAfterSeconds } from './presence-record.js';
export { PresenceController } from './presence.controller.js';
export { presenceEvent, presenceEvents } from './presence.events.js';
export { presenceSnapshotParts } from './presence.snapshot.js';
export { listAnnounced, recordPresences } from './presence.repository.js';
export { Presences } from './presences.action.js';
