import { defineSlice } from '../../events/define-feature-slice.js';
import { userSnapshotParts } from './user-snapshot-parts.js';
import { userEvents } from './users.events.js';

/** Feature module (slice) that provides the events and response parts of users. */
export const usersSlice = defineSlice('users', {
  events: userEvents,
  snapshotParts: userSnapshotParts,
});
