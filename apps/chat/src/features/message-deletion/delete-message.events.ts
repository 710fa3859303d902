import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { halvePackedMessageIds, packedMessageIdListSchema, unpackMessageIds } from '../../events/packed-message-ids.js';
import { toDisplayedTopicName } from '../../events/displayed-topic-name.js';

const deletedMessageIdsSchema = z.array(z.int());

const deletedConversationFields = {
  message_type: z.enum(['stream', 'private']),
  stream_id: z.int().optional().meta({ description: 'For channel messages' }),
  topic: z.string().optional().meta({ description: 'For channel messages' }),
};

const messageDeletionPayloadSchema = z.strictObject({
  messageIds: packedMessageIdListSchema,
  channel: z.strictObject({ id: z.int(), topic: z.string() }).nullable(),
});

/**
 * Event about messages that the recipients can no longer read. The messages were deleted, or were moved to a channel
 * that these users cannot read (docs/contract/chat.md 3.4).
 */
export const deleteMessageEvent = defineEventType({
  name: 'delete_message',
  webhookOrder: 'conversation',
  audience: 'All users who could read the messages; for a move to another channel, those who cannot read them there.',
  payload: messageDeletionPayloadSchema,
  count: (stored) => unpackMessageIds(stored).length,
  divide(stored) {
    const halves = halvePackedMessageIds(stored);
    return (
      halves && [
        { ...stored, messageIds: halves[0] },
        { ...stored, messageIds: halves[1] },
      ]
    );
  },
}).addVariant({
  type: 'delete_message',
  fields: {
    ...deletedConversationFields,
    message_ids: deletedMessageIdsSchema.optional().meta({ description: 'With the capability bulk_message_deletion' }),
    message_id: z
      .int()
      .optional()
      .meta({ description: 'Without the capability bulk_message_deletion: one event per message' }),
  },
  render: (stored, { capabilities }) => {
    const common = getConversationFields(stored, capabilities);
    const messageIds = unpackMessageIds(stored);
    if (capabilities.bulk_message_deletion) return { ...common, message_ids: messageIds };
    return messageIds.map((id) => ({ ...common, message_id: id }));
  },
});

export const messageDeletionEvents = [deleteMessageEvent];

function getConversationFields(
  { channel }: z.infer<typeof messageDeletionPayloadSchema>,
  capabilities: { readonly empty_topic_name: boolean },
) {
  if (channel === null) return { message_type: 'private' as const };
  return {
    message_type: 'stream' as const,
    stream_id: channel.id,
    topic: toDisplayedTopicName(channel.topic, capabilities),
  };
}
