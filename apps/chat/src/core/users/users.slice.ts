import { defineSlice } from '../../events/define-slice.js';
import { userSnapshotParts } from './snapshot-parts.js';
import { userEvents } from './users.events.js';

/** The slice of users: events and snapshot parts. */
export const usersSlice = defineSlice('users', {
  events: userEvents,
  snapshotParts: userSnapshotParts,
});
