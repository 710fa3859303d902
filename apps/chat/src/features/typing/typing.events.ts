import { z } from 'zod';
import { displayEmail, type EmailViewer } from '../../core/access/email-visibility.js';
import { defineEvent } from '../../events/define-event-type.js';
import { shownTopic } from '../../events/displayed-topic-name.js';

const typingEventPerson = z.strictObject({ user_id: z.int(), email: z.string() });
const typingEventTypist = z.strictObject({
  id: z.int(),
  deliveryEmail: z.string(),
  emailVisibility: z.int(),
  isBot: z.boolean(),
});
const directPayload = z.strictObject({ sender: typingEventTypist, participants: z.array(typingEventTypist) });
const channelPayload = z.strictObject({ sender: typingEventTypist, channelId: z.int(), topic: z.string() });

const directFields = {
  message_type: z.literal('direct'),
  sender: typingEventPerson,
  recipients: z.array(typingEventPerson),
};
const channelFields = {
  message_type: z.literal('stream'),
  sender: typingEventPerson,
  stream_id: z.int(),
  topic: z.string(),
};

const directAudience = 'The participants who have enabled typing notifications, including the sender.';
const channelAudience =
  'Subscribers who have enabled typing notifications, in channels with at most 100 subscribers; ' +
  'queues without the capability stream_typing_notifications get no event.';

function typistAsShownTo(viewer: EmailViewer, user: z.infer<typeof typingEventTypist>) {
  return { user_id: user.id, email: displayEmail(viewer, user) };
}

function directEvent(op: 'start' | 'stop') {
  return defineEvent({ name: `typing/${op}_direct`, audience: directAudience, payload: directPayload }).withVariant({
    type: 'typing',
    op,
    fields: directFields,
    render: ({ sender, participants }, { viewer }) => ({
      message_type: 'direct' as const,
      sender: typistAsShownTo(viewer, sender),
      recipients: participants.map((participant) => typistAsShownTo(viewer, participant)),
    }),
  });
}

function channelEvent(op: 'start' | 'stop') {
  return defineEvent({ name: `typing/${op}_channel`, audience: channelAudience, payload: channelPayload }).withVariant({
    type: 'typing',
    op,
    fields: channelFields,
    when: ({ capabilities }) => capabilities.stream_typing_notifications,
    render: ({ sender, channelId, topic }, { viewer, capabilities }) => ({
      message_type: 'stream' as const,
      sender: typistAsShownTo(viewer, sender),
      stream_id: channelId,
      topic: shownTopic(topic, capabilities),
    }),
  });
}

/** Events of a user who starts or stops typing a direct message (docs/contract/chat.md 3.4). */
export const directTypingEvents = { start: directEvent('start'), stop: directEvent('stop') } as const;

/** Events of a user who starts or stops typing a message to a channel. */
export const channelTypingEvents = { start: channelEvent('start'), stop: channelEvent('stop') } as const;

/** All events of typing notifications. */
export const typingEvents = [...Object.values(directTypingEvents), ...Object.values(channelTypingEvents)];
