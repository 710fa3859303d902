import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';

const realmDeactivatedFields = { realm_id: z.int() };

/**
 * Event sent when the organization was deactivated. Clients of the organization receive no later events
 * (docs/contract/chat.md 3.4).
 */
export const realmDeactivatedEvent = defineEventType({
  name: 'realm/deactivated',
  audience: 'All users of the realm.',
  payload: z.strictObject(realmDeactivatedFields),
}).addVariant({
  type: 'realm',
  op: 'deactivated',
  fields: realmDeactivatedFields,
  render: (deactivated) => deactivated,
});

/** List of all event types that concern organization deactivation. */
export const realmDeactivationEvents = [realmDeactivatedEvent];
