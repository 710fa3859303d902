import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { narrowParameter } from '../../core/messages/index.js';

const flagOperationParameter = z.string().meta({ description: 'add or remove' });
const flagNameParameter = z.string().meta({ description: 'read, starred or collapsed' });
const ignoredChannelIdsSchema = z.array(z.int()).optional().meta({
  description:
    'Only when messages are marked as unread: channels that were skipped, because the user does not subscribe to them',
});

/** Parameters of POST /messages/flags (chat-4.17). */
export const messageFlagUpdateParameters = defineParameters(
  z.object({ messages: z.array(z.int().nonnegative()), op: flagOperationParameter, flag: flagNameParameter }),
);

export const messageFlagUpdateResponseBody = createSuccessBodySchema({
  messages: z.array(z.int()).meta({ description: 'Ids of the messages whose flags changed' }),
  ignored_because_not_subscribed_channels: ignoredChannelIdsSchema,
});

const adjacentMessageCountParameter = z.int().nonnegative();

/** Parameters of POST /messages/flags/narrow (chat-4.11). */
export const narrowFlagUpdateParameters = defineParameters(
  z.object({
    anchor: z.string().trim().meta({ description: 'A message id, or newest, oldest, first_unread' }),
    include_anchor: z.boolean().default(true),
    num_before: adjacentMessageCountParameter,
    num_after: adjacentMessageCountParameter,
    narrow: narrowParameter.default([]),
    op: flagOperationParameter,
    flag: flagNameParameter,
  }),
);

const flagUpdateMessageIdSchema = z.int().nullable().meta({ description: 'Null if there were none' });

export const narrowFlagUpdateResponseBody = createSuccessBodySchema({
  processed_count: z.int(),
  updated_count: z.int(),
  first_processed_id: flagUpdateMessageIdSchema,
  last_processed_id: flagUpdateMessageIdSchema,
  found_oldest: z.boolean(),
  found_newest: z.boolean(),
  ignored_because_not_subscribed_channels: ignoredChannelIdsSchema,
});

/** Schema of the request parameters of endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

export const channelReadMarkingParameters = defineParameters(z.object({ stream_id: z.int() }));

/** Parameters of POST /mark_topic_as_read (chat-4.15). */
export const topicReadMarkingParameters = defineParameters(z.object({ stream_id: z.int(), topic_name: z.string() }));

export const readMarkingResponseBody = createSuccessBodySchema({
  complete: z.boolean().meta({ description: 'False if the time budget ended first: send the request again' }),
});
