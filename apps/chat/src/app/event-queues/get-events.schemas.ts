import { z } from 'zod';
import type { EventVariant } from '../../events/define-event-type.js';
import { allEventTypes } from '../slices.js';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';

/** Parameters of GET /events (docs/contract/chat.md 3.1). */
export const getEventsParameters = defineParameters(
  z.object({
    queue_id: z.string(),
    last_event_id: z.int(),
    dont_block: z.boolean().default(false),
  }),
);

/** Parameters of GET /events/stream (docs/contract/chat.md 3.6). */
export const streamEventsParameters = defineParameters(
  z.object({
    queue_id: z.string(),
    last_event_id: z.int().optional().meta({
      description: 'Id of the last event that the client has, -1 for none. Required without a header `Last-Event-ID`',
    }),
  }),
);

/** Schema of the header `Last-Event-ID` for the OpenAPI document. Browsers send the header when they reconnect. */
export const lastEventIdHeaderSchema = z.object({
  'Last-Event-ID': z.int().optional().meta({ description: 'Id of the last event that the client has, -1 for none' }),
});

/** Parameters of the request DELETE /events, which deletes an event queue. */
export const deleteQueueParameters = defineParameters(z.object({ queue_id: z.string() }));

/** Schema of the success response body of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});

const heartbeatEventSchema = z
  .strictObject({ type: z.literal('heartbeat'), id: z.int() })
  .meta({ id: 'HeartbeatEvent' });

const eventSchemas = allEventTypes.flatMap((type) =>
  type.variants.map((variant) =>
    variant.schema
      .extend({ id: z.int() })
      .meta({ id: createEventSchemaName(type.name, variant), description: type.audience }),
  ),
);

/** Response body of the request GET /events, which polls an event queue. */
export const getEventsResponseBody = createSuccessBodySchema({
  queue_id: z.string(),
  events: z.array(z.union([heartbeatEventSchema, ...eventSchemas])),
});

/**
 * Returns the OpenAPI schema name of an event, such as `RealmUserAddEvent`. The schema name contains both names, for
 * example `RealmEmojiAddAsRealmEmojiUpdateEvent`, if the event's name in responses differs from the name of the change.
 */
function createEventSchemaName(name: string, { type, op }: EventVariant): string {
  const wire = op === undefined ? type : `${type}/${op}`;
  return wire === name ? `${toPascalCase(wire)}Event` : `${toPascalCase(name)}As${toPascalCase(wire)}Event`;
}

function toPascalCase(text: string): string {
  return text
    .split(/[_/]/)
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1))
    .join('');
}
