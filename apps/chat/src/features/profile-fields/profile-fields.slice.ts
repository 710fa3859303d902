import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { ChangeProfileFieldValues } from './change-profile-values.js';
import { ProfileFieldsService } from './profile-fields.action.js';
import { ProfileDataController } from './profile-data.controller.js';
import { ProfileFieldsController } from './profile-fields.controller.js';
import { profileFieldEvents } from './profile-fields.events.js';
import { profileFieldSnapshotParts } from './profile-fields.snapshot.js';
import { UpdateOwnProfileValues } from './update-own-profile.action.js';

/**
 * Feature module (slice) of custom profile fields. The module declares endpoints, events and snapshot parts (fields of
 * the `POST /register` response).
 */
export const profileFieldsFeatureModule = defineFeatureModule('profile-fields', {
  controllers: [ProfileDataController, ProfileFieldsController],
  providers: [ChangeProfileFieldValues, ProfileFieldsService, UpdateOwnProfileValues],
  events: profileFieldEvents,
  snapshotParts: profileFieldSnapshotParts,
});
