import { defineSlice } from '../../events/define-slice.js';
import { userSnapshotParts } from './snapshot-parts.js';
import { userEvents } from './users.events.js';

/** The slice of users. */
export const usersSlice = defineSlice('users', {
  events: userEvents,
  snapshotParts: userSnapshotParts,
});
