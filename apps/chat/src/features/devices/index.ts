export { deviceEvents } from './devices.events.js';
export { DevicesController } from './devices.controller.js';
export { deviceSnapshotParts } from './devices.snapshot.js';
export { ManageDevices } from './manage-devices.action.js';
