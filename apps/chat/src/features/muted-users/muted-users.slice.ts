import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { MuteUser } from './mute-user.action.js';
import { MutedUsersController } from './muted-users.controller.js';
import { mutedUserEvents } from './muted-users.events.js';
import { mutedUserSnapshotParts } from './muted-users.snapshot.js';

/**
 * Feature module (slice) of muted users. The module declares endpoints, events and snapshot parts (fields of the
 * `POST /register` response).
 */
export const mutedUsersFeatureModule = defineFeatureModule('muted-users', {
  controllers: [MutedUsersController],
  providers: [MuteUser],
  events: mutedUserEvents,
  snapshotParts: mutedUserSnapshotParts,
});
