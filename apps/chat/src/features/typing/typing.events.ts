import { z } from 'zod';
import { getDisplayedEmail, type EmailViewer } from '../../core/access/email-visibility.js';
import { defineEventType } from '../../events/define-event-type.js';
import { toDisplayedTopicName } from '../../events/displayed-topic-name.js';

const typingEventPersonSchema = z.strictObject({ user_id: z.int(), email: z.string() });
const typingUserSchema = z.strictObject({
  id: z.int(),
  deliveryEmail: z.string(),
  emailVisibility: z.int(),
  isBot: z.boolean(),
});
const directTypingPayloadSchema = z.strictObject({
  sender: typingUserSchema,
  participants: z.array(typingUserSchema),
});
const channelTypingPayloadSchema = z.strictObject({ sender: typingUserSchema, channelId: z.int(), topic: z.string() });

const directMessageTypingEventFields = {
  message_type: z.literal('direct'),
  sender: typingEventPersonSchema,
  recipients: z.array(typingEventPersonSchema),
};
const channelTypingEventFields = {
  message_type: z.literal('stream'),
  sender: typingEventPersonSchema,
  stream_id: z.int(),
  topic: z.string(),
};

const directMessageTypingEventAudience =
  'The participants who have enabled typing notifications, including the sender.';
const channelTypingEventAudience =
  'Subscribers who have enabled typing notifications, in channels with at most 100 subscribers; ' +
  'queues without the capability stream_typing_notifications get no event.';

function formatTypingUserForViewer(viewer: EmailViewer, user: z.infer<typeof typingUserSchema>) {
  return { user_id: user.id, email: getDisplayedEmail(viewer, user) };
}

function defineDirectTypingEvent(op: 'start' | 'stop') {
  return defineEventType({
    name: `typing/${op}_direct`,
    audience: directMessageTypingEventAudience,
    payload: directTypingPayloadSchema,
  }).addVariant({
    type: 'typing',
    op,
    fields: directMessageTypingEventFields,
    render: ({ sender, participants }, { viewer }) => ({
      message_type: 'direct' as const,
      sender: formatTypingUserForViewer(viewer, sender),
      recipients: participants.map((participant) => formatTypingUserForViewer(viewer, participant)),
    }),
  });
}

function defineChannelTypingEvent(op: 'start' | 'stop') {
  return defineEventType({
    name: `typing/${op}_channel`,
    audience: channelTypingEventAudience,
    payload: channelTypingPayloadSchema,
  }).addVariant({
    type: 'typing',
    op,
    fields: channelTypingEventFields,
    when: ({ capabilities }) => capabilities.stream_typing_notifications,
    render: ({ sender, channelId, topic }, { viewer, capabilities }) => ({
      message_type: 'stream' as const,
      sender: formatTypingUserForViewer(viewer, sender),
      stream_id: channelId,
      topic: toDisplayedTopicName(topic, capabilities),
    }),
  });
}

/** Event types for a user who starts or stops typing a direct message (docs/contract/chat.md 3.4). */
export const directMessageTypingEvents = {
  start: defineDirectTypingEvent('start'),
  stop: defineDirectTypingEvent('stop'),
} as const;

/** Event types for a user who starts or stops typing a message to a channel. */
export const channelTypingEvents = {
  start: defineChannelTypingEvent('start'),
  stop: defineChannelTypingEvent('stop'),
} as const;

/** List of all event types that concern typing notifications. */
export const typingEvents = [...Object.values(directMessageTypingEvents), ...Object.values(channelTypingEvents)];
