import { defineSlice } from '../../events/define-slice.js';
import { userSnapshotParts } from './snapshot-parts.js';
import { userEvents } from './users.events.js';

/** Feature module (slice) of users: its events and snapshot parts. */
export const usersSlice = defineSlice('users', {
  events: userEvents,
  snapshotParts: userSnapshotParts,
});
