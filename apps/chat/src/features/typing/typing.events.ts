import { z } from 'zod';
import { getDisplayedEmail, type EmailViewer } from '../../core/access/email-visibility.js';
import { defineEvent } from '../../events/define-event-type.js';
import { toShownTopic } from '../../events/displayed-topic-name.js';

const typingEventPerson = z.strictObject({ user_id: z.int(), email: z.string() });
const typingEventTypist = z.strictObject({
  id: z.int(),
  deliveryEmail: z.string(),
  emailVisibility: z.int(),
  isBot: z.boolean(),
});
const directTypingPayloadSchema = z.strictObject({
  sender: typingEventTypist,
  participants: z.array(typingEventTypist),
});
const channelTypingPayloadSchema = z.strictObject({ sender: typingEventTypist, channelId: z.int(), topic: z.string() });

const getDirectTypingFields = {
  message_type: z.literal('direct'),
  sender: typingEventPerson,
  recipients: z.array(typingEventPerson),
};
const getChannelTypingFields = {
  message_type: z.literal('stream'),
  sender: typingEventPerson,
  stream_id: z.int(),
  topic: z.string(),
};

const directTypingAudience = 'The participants who have enabled typing notifications, including the sender.';
const channelTypingAudience =
  'Subscribers who have enabled typing notifications, in channels with at most 100 subscribers; ' +
  'queues without the capability stream_typing_notifications get no event.';

function showTypistTo(viewer: EmailViewer, user: z.infer<typeof typingEventTypist>) {
  return { user_id: user.id, email: getDisplayedEmail(viewer, user) };
}

function defineDirectTypingEvent(op: 'start' | 'stop') {
  return defineEvent({
    name: `typing/${op}_direct`,
    audience: directTypingAudience,
    payload: directTypingPayloadSchema,
  }).withVariant({
    type: 'typing',
    op,
    fields: getDirectTypingFields,
    render: ({ sender, participants }, { viewer }) => ({
      message_type: 'direct' as const,
      sender: showTypistTo(viewer, sender),
      recipients: participants.map((participant) => showTypistTo(viewer, participant)),
    }),
  });
}

function defineChannelTypingEvent(op: 'start' | 'stop') {
  return defineEvent({
    name: `typing/${op}_channel`,
    audience: channelTypingAudience,
    payload: channelTypingPayloadSchema,
  }).withVariant({
    type: 'typing',
    op,
    fields: getChannelTypingFields,
    when: ({ capabilities }) => capabilities.stream_typing_notifications,
    render: ({ sender, channelId, topic }, { viewer, capabilities }) => ({
      message_type: 'stream' as const,
      sender: showTypistTo(viewer, sender),
      stream_id: channelId,
      topic: toShownTopic(topic, capabilities),
    }),
  });
}

/** Event types for a user who starts or stops typing a direct message (docs/contract/chat.md 3.4). */
export const directTypingEvents = {
  start: defineDirectTypingEvent('start'),
  stop: defineDirectTypingEvent('stop'),
} as const;

/** Event types for a user who starts or stops typing a message to a channel. */
export const channelTypingEvents = {
  start: defineChannelTypingEvent('start'),
  stop: defineChannelTypingEvent('stop'),
} as const;

/** List of all event types that concern typing notifications. */
export const typingEvents = [...Object.values(directTypingEvents), ...Object.values(channelTypingEvents)];
