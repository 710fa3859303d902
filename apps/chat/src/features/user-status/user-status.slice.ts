import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { UserStatusService } from './user-status.action.js';
import { UserStatusController } from './user-status.controller.js';
import { userStatusSnapshotParts } from './user-status.snapshot.js';

/**
 * Feature module (slice) of user status. The module declares endpoints and snapshot parts (fields of the
 * `POST /register` response).
 */
export const userStatusFeatureModule = defineFeatureModule('user-status', {
  controllers: [UserStatusController],
  providers: [UserStatusService],
  snapshotParts: userStatusSnapshotParts,
});
