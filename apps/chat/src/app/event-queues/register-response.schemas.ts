import { z } from 'zod';
import { combineSnapshotFieldSchemas } from '../../events/define-snapshot-part.js';
import { allSnapshotParts } from '../slices.js';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { getEventsResponseBody } from './get-events.schemas.js';
import { serverVersionFields } from '../../core/realms/index.js';

/** Response fields of POST /register that are present only if the client requested the field's fetch type. */
const registerResponseFetchedFieldsSchema = z.object(combineSnapshotFieldSchemas(allSnapshotParts)).partial();

/** Response of POST /register (docs/contract/chat.md 4). */
export const registerEventQueueResponseBody = createSuccessBodySchema({
  queue_id: z.string().nullable().meta({ description: 'Null for requests without an account, which get no queue' }),
  last_event_id: z.int(),
  ...serverVersionFields,
  idle_queue_timeout_secs: z.int(),
  delta: z.strictObject({ events: getEventsResponseBody.shape.events }).nullable().optional().meta({
    description:
      'Only with last_known: the events of the former queue after its last known event, up to the start of the new queue. Fields that events maintain are then absent, and all others replace those of the client. Null if the former queue cannot be continued: the state is complete',
  }),
  ...registerResponseFetchedFieldsSchema.shape,
});
