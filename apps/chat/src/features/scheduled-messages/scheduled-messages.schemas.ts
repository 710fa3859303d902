import { z } from 'zod';
import { maxDirectMessageRecipients } from '../../core/messages/index.js';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireScheduledMessageSchema } from './wire-scheduled-message.js';

/**
 * Latest time at which a message can be scheduled, in UNIX seconds: the end of the year 9999. Later times exceed limits
 * of the database and of clients.
 */
const maxDeliveryTimestampSeconds = 253_402_300_799;

/** Schema of the time at which a message is to be sent, in UNIX seconds. */
export const deliveryTimestampParameter = z
  .int()
  .max(maxDeliveryTimestampSeconds)
  .meta({ description: 'UNIX time in seconds; must be in the future' });

const messageTypeParameter = z.enum(['direct', 'channel', 'stream', 'private']);
const scheduledMessageRecipientParameter = z
  .union([z.int(), z.array(z.int()).max(maxDirectMessageRecipients)])
  .meta({ description: 'Id of a channel, or list of ids of users' });
const scheduledMessageTopicParameter = z.string().optional();

/** Parameters of POST /scheduled_messages (docs/contract/chat.md 2.D). */
export const addScheduledMessageParameters = defineParameters(
  z.object({
    type: messageTypeParameter,
    to: scheduledMessageRecipientParameter,
    content: z.string(),
    topic: scheduledMessageTopicParameter,
    scheduled_delivery_timestamp: deliveryTimestampParameter,
    read_by_sender: z.boolean().optional(),
  }),
  { topic: ['subject'] },
);

export const addScheduledMessageResponseBody = createSuccessBodySchema({ scheduled_message_id: z.int() });

/** Parameters of PATCH /scheduled_messages/{scheduled_message_id}. A change of `type` requires `to`. */
export const updateScheduledMessageParameters = defineParameters(
  z.object({
    type: messageTypeParameter.optional(),
    to: scheduledMessageRecipientParameter.optional(),
    content: z.string().optional(),
    topic: scheduledMessageTopicParameter,
    scheduled_delivery_timestamp: deliveryTimestampParameter.optional(),
    read_by_sender: z.boolean().optional(),
  }),
  { topic: ['subject'] },
);

export const listScheduledMessagesResponseBody = createSuccessBodySchema({
  scheduled_messages: z.array(wireScheduledMessageSchema),
});

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

/** Schema of the path parameters of endpoints that address one scheduled message by id. */
export const scheduledMessagePathParameters = z.object({ scheduled_message_id: z.int() });
