import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';

const audience = 'Only the user of the device.';
const fields = { device_id: z.int() };

/** Event of a registered device (docs/contract/chat.md 3.4). */
export const deviceAddEvent = defineEvent({
  name: 'device/add',
  audience,
  payload: z.strictObject(fields),
}).as({ type: 'device', op: 'add', fields, render: (added) => added });

/** Event of a removed device. */
export const deviceRemoveEvent = defineEvent({
  name: 'device/remove',
  audience,
  payload: z.strictObject(fields),
}).as({ type: 'device', op: 'remove', fields, render: (removed) => removed });

/** All device events. */
export const deviceEvents = [deviceAddEvent, deviceRemoveEvent];
