import { z } from 'zod';
import { eventTypes } from '../../events/event-types.js';
import { successBody } from '../../http/envelope.schemas.js';
import { defineParameters } from '../../http/parameters.js';

/** GET /events (chat-contract 3.1). */
export const getEventsParameters = defineParameters(
  z.object({
    queue_id: z.string(),
    last_event_id: z.int(),
    dont_block: z.boolean().default(false),
  }),
);

/** DELETE /events. */
export const deleteQueueParameters = defineParameters(z.object({ queue_id: z.string() }));

/** Nothing but the envelope. */
export const emptyBody = successBody({});

const heartbeat = z.strictObject({ type: z.literal('heartbeat'), id: z.int() }).meta({ id: 'HeartbeatEvent' });

const eventSchemas = eventTypes.map(({ wire, name }) =>
  wire.extend({ id: z.int() }).meta({ id: `${eventId(name)}Event` }),
);

/** The answer of GET /events. */
export const getEventsBody = successBody({
  queue_id: z.string(),
  events: z.array(z.union([heartbeat, ...eventSchemas])),
});

/** `realm_user/add` becomes `RealmUserAdd`. */
function eventId(name: string): string {
  return name
    .split(/[_/]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
