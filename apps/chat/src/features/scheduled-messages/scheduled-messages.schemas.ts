import { z } from 'zod';
import { maxRecipients } from '../../core/messages/index.js';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { wireScheduledMessageSchema } from './wire-scheduled-message.js';

/**
 * Latest time at which a message can be scheduled, in UNIX seconds: the end of the year 9999. Later times exceed limits
 * of the database and of clients.
 */
const maxTimestamp = 253_402_300_799;

/** Schema of the time at which a message is to be sent, in UNIX seconds. */
export const deliveryTimestamp = z
  .int()
  .max(maxTimestamp)
  .meta({ description: 'UNIX time in seconds; must be in the future' });

const messageTypeParameter = z.enum(['direct', 'channel', 'stream', 'private']);
const recipientParameter = z
  .union([z.int(), z.array(z.int()).max(maxRecipients)])
  .meta({ description: 'Id of a channel, or list of ids of users' });
const topicParameter = z.string().optional();

/** Parameters of POST /scheduled_messages (docs/contract/chat.md 2.D). */
export const addScheduledMessageParameters = defineParameters(
  z.object({
    type: messageTypeParameter,
    to: recipientParameter,
    content: z.string(),
    topic: topicParameter,
    scheduled_delivery_timestamp: deliveryTimestamp,
    read_by_sender: z.boolean().optional(),
  }),
  { topic: ['subject'] },
);

/** Response of POST /scheduled_messages. */
export const addScheduledMessageResponseBody = successBody({ scheduled_message_id: z.int() });

/** Parameters of PATCH /scheduled_messages/{scheduled_message_id}. A change of `type` requires `to`. */
export const updateScheduledMessageParameters = defineParameters(
  z.object({
    type: messageTypeParameter.optional(),
    to: recipientParameter.optional(),
    content: z.string().optional(),
    topic: topicParameter,
    scheduled_delivery_timestamp: deliveryTimestamp.optional(),
    read_by_sender: z.boolean().optional(),
  }),
  { topic: ['subject'] },
);

/** Response of GET /scheduled_messages. */
export const listScheduledMessagesResponseBody = successBody({
  scheduled_messages: z.array(wireScheduledMessageSchema),
});

/** Schema of the success response of endpoints that return no data. */
export const emptyResponseBody = successBody({});

/** Schema of the request parameters of endpoints that accept no parameters. */
export const noParameters = defineParameters(z.object({}));

/** Schema of the path parameters of endpoints that address one scheduled message by id. */
export const scheduledMessagePathParameters = z.object({ scheduled_message_id: z.int() });
