import { defineSlice } from '../../events/define-feature-slice.js';
import { ChangeProfile } from './change-profile-values.js';
import { ProfileFieldsService } from './profile-fields.action.js';
import { ProfileDataController } from './profile-data.controller.js';
import { ProfileFieldsController } from './profile-fields.controller.js';
import { profileFieldEvents } from './profile-fields.events.js';
import { profileFieldSnapshotParts } from './profile-fields.snapshot.js';
import { UpdateOwnProfile } from './update-own-profile.action.js';

/**
 * Feature module (slice) of custom profile fields. The module declares endpoints, events and snapshot parts (fields of
 * the `POST /register` response).
 */
export const profileFieldsSlice = defineSlice('profile-fields', {
  controllers: [ProfileDataController, ProfileFieldsController],
  providers: [ChangeProfile, ProfileFieldsService, UpdateOwnProfile],
  events: profileFieldEvents,
  snapshotParts: profileFieldSnapshotParts,
});
