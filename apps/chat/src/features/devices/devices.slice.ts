import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { DevicesController } from './devices.controller.js';
import { deviceEvents } from './devices.events.js';
import { deviceSnapshotParts } from './devices.snapshot.js';
import { DevicesService } from './devices.action.js';

/** Feature module (slice) of registered devices: its endpoints, events and snapshot parts. */
export const devicesFeatureModule = defineFeatureModule('devices', {
  controllers: [DevicesController],
  providers: [DevicesService],
  events: deviceEvents,
  snapshotParts: deviceSnapshotParts,
});
