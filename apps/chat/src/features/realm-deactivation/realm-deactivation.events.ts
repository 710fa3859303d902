import { z } from 'zod';
import { defineEvent } from '../../events/define-event-type.js';

const realmDeactivatedFields = { realm_id: z.int() };

/** Event of the deactivated organization, the last one that its clients receive (docs/contract/chat.md 3.4). */
export const realmDeactivatedEvent = defineEvent({
  name: 'realm/deactivated',
  audience: 'All users of the realm.',
  payload: z.strictObject(realmDeactivatedFields),
}).withVariant({
  type: 'realm',
  op: 'deactivated',
  fields: realmDeactivatedFields,
  render: (deactivated) => deactivated,
});

/** All events of organization deactivation. */
export const realmDeactivationEvents = [realmDeactivatedEvent];
