export { SetStatus } from './set-status.action.js';
export { UserStatusController } from './user-status.controller.js';
export { userStatusSnapshotParts } from './user-status.snapshot.js';
