import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';

const devicesEventAudience = 'Only the user of the device.';
const devicesEventFields = { device_id: z.int() };

/** Event that informs a user about a newly registered device (docs/contract/chat.md 3.4). */
export const deviceAddEvent = defineEventType({
  name: 'device/add',
  audience: devicesEventAudience,
  payload: z.strictObject(devicesEventFields),
}).addVariant({ type: 'device', op: 'add', fields: devicesEventFields, render: (added) => added });

/** Event that informs a user about a removed device. */
export const deviceRemoveEvent = defineEventType({
  name: 'device/remove',
  audience: devicesEventAudience,
  payload: z.strictObject(devicesEventFields),
}).addVariant({ type: 'device', op: 'remove', fields: devicesEventFields, render: (removed) => removed });

export const deviceEvents = [deviceAddEvent, deviceRemoveEvent];
