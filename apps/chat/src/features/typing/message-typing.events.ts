import { z } from 'zod';
import { defineEvent } from '../../events/define-event-type.js';
import { toShownTopic } from '../../events/displayed-topic-name.js';

const messageTypingEventAudience =
  'All users who can read the message and have enabled typing notifications; no user in large channels.';

const messageTypingEventIds = z.array(z.int());

const messageTypingEventPayload = z.strictObject({
  senderId: z.int(),
  messageId: z.int(),
  channel: z.strictObject({ id: z.int(), topic: z.string() }).nullable(),
  /** Ids of the participants of the direct message being edited, in ascending order; absent for channel messages. */
  userIds: messageTypingEventIds,
});

const messageTypingEventFields = {
  sender_id: z.int(),
  message_id: z.int(),
  recipient: z.union([
    z.strictObject({ type: z.literal('direct'), user_ids: messageTypingEventIds }),
    z.strictObject({ type: z.literal('channel'), channel_id: z.int(), topic: z.string() }),
  ]),
};

/** Event sent when a user starts to edit a message that the user sent (docs/contract/chat.md 3.4). */
export const typingEditStartEvent = defineEvent({
  name: 'typing_edit_message/start',
  audience: messageTypingEventAudience,
  payload: messageTypingEventPayload,
}).withVariant({
  type: 'typing_edit_message',
  op: 'start',
  fields: messageTypingEventFields,
  render: (stored, { capabilities }) => getTypingEventFields(stored, capabilities),
});

/** Event sent when a user stops editing a message that the user sent. */
export const typingEditStopEvent = defineEvent({
  name: 'typing_edit_message/stop',
  audience: messageTypingEventAudience,
  payload: messageTypingEventPayload,
}).withVariant({
  type: 'typing_edit_message',
  op: 'stop',
  fields: messageTypingEventFields,
  render: (stored, { capabilities }) => getTypingEventFields(stored, capabilities),
});

/** List of all event types about users who are editing messages. */
export const messageTypingEvents = [typingEditStartEvent, typingEditStopEvent];

function getTypingEventFields(
  { senderId, messageId, channel, userIds }: z.infer<typeof messageTypingEventPayload>,
  capabilities: { readonly empty_topic_name: boolean },
) {
  const recipient =
    channel === null
      ? { type: 'direct' as const, user_ids: userIds }
      : { type: 'channel' as const, channel_id: channel.id, topic: toShownTopic(channel.topic, capabilities) };
  return { sender_id: senderId, message_id: messageId, recipient };
}
