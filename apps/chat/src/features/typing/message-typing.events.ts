import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { toDisplayedTopicName } from '../../events/displayed-topic-name.js';

const editTypingEventAudience =
  'All users who can read the message and have enabled typing notifications; no user in large channels.';

const userIdsSchema = z.array(z.int());

const editTypingEventPayloadSchema = z.strictObject({
  senderId: z.int(),
  messageId: z.int(),
  channel: z.strictObject({ id: z.int(), topic: z.string() }).nullable(),
  /** Ids of the participants of the direct message being edited, in ascending order; absent for channel messages. */
  userIds: userIdsSchema,
});

const editTypingEventFieldSchemas = {
  sender_id: z.int(),
  message_id: z.int(),
  recipient: z.union([
    z.strictObject({ type: z.literal('direct'), user_ids: userIdsSchema }),
    z.strictObject({ type: z.literal('channel'), channel_id: z.int(), topic: z.string() }),
  ]),
};

/** Event sent when a user starts to edit a message that the user sent (docs/contract/chat.md 3.4). */
export const typingEditStartEvent = defineEventType({
  name: 'typing_edit_message/start',
  audience: editTypingEventAudience,
  payload: editTypingEventPayloadSchema,
}).addVariant({
  type: 'typing_edit_message',
  op: 'start',
  fields: editTypingEventFieldSchemas,
  render: (stored, { capabilities }) => createEditTypingEventFields(stored, capabilities),
});

/** Event sent when a user stops editing a message that the user sent. */
export const typingEditStopEvent = defineEventType({
  name: 'typing_edit_message/stop',
  audience: editTypingEventAudience,
  payload: editTypingEventPayloadSchema,
}).addVariant({
  type: 'typing_edit_message',
  op: 'stop',
  fields: editTypingEventFieldSchemas,
  render: (stored, { capabilities }) => createEditTypingEventFields(stored, capabilities),
});

/** List of all event types about users who are editing messages. */
export const editTypingEvents = [typingEditStartEvent, typingEditStopEvent];

function createEditTypingEventFields(
  { senderId, messageId, channel, userIds }: z.infer<typeof editTypingEventPayloadSchema>,
  capabilities: { readonly empty_topic_name: boolean },
) {
  const recipient =
    channel === null
      ? { type: 'direct' as const, user_ids: userIds }
      : { type: 'channel' as const, channel_id: channel.id, topic: toDisplayedTopicName(channel.topic, capabilities) };
  return { sender_id: senderId, message_id: messageId, recipient };
}
