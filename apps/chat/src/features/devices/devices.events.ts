import { z } from 'zod';
import { defineEvent } from '../../events/event-type.js';

const audience = 'Only the user of the device.';
const fields = { device_id: z.int() };

/** A device was registered (docs/contract/chat.md 3.4). */
export const deviceAddEvent = defineEvent({
  name: 'device/add',
  audience,
  payload: z.strictObject(fields),
}).as({ type: 'device', op: 'add', fields, render: (added) => added });

/** A device was removed. */
export const deviceRemoveEvent = defineEvent({
  name: 'device/remove',
  audience,
  payload: z.strictObject(fields),
}).as({ type: 'device', op: 'remove', fields, render: (removed) => removed });

/** The events of this module. */
export const deviceEvents = [deviceAddEvent, deviceRemoveEvent];
