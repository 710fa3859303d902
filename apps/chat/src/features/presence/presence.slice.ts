import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { PresenceController } from './presence.controller.js';
import { presenceEvents } from './presence.events.js';
import { presenceSnapshotParts } from './presence.snapshot.js';
import { PresenceService } from './presences.action.js';

/**
 * Feature module (slice) of presence. The module declares endpoints, events and snapshot parts (fields of the
 * `POST /register` response).
 */
export const presenceFeatureModule = defineFeatureModule('presence', {
  controllers: [PresenceController],
  providers: [PresenceService],
  events: presenceEvents,
  snapshotParts: presenceSnapshotParts,
});
