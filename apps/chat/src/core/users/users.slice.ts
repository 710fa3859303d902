import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { userSnapshotParts } from './user-snapshot-parts.js';
import { userAndBotEventTypes } from './users.events.js';

/** Feature module (slice) that provides the events and response parts of users. */
export const usersFeatureModule = defineFeatureModule('users', {
  events: userAndBotEventTypes,
  snapshotParts: userSnapshotParts,
});
