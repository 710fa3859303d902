export { MutedUsersController } from './muted-users.controller.js';
export { mutedUserEvents } from './muted-users.events.js';
export { mutedUserSnapshotParts } from './muted-users.snapshot.js';
export { MuteUser } from './mute-user.action.js';
