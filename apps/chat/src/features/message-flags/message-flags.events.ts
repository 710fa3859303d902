import { z } from 'zod';
import { defineEventType, createPayloadDividerByLists } from '../../events/define-event-type.js';
import { toDisplayedTopicName } from '../../events/displayed-topic-name.js';
import { editableMessageFlags } from './parse-flag-change.js';

const unreadMessageSchema = z.strictObject({
  id: z.int(),
  /** True if the unread message counts as a mention of the user. Wildcard mentions in muted topics do not count. */
  mentioned: z.boolean(),
  muted: z.boolean(),
  channel: z.strictObject({ id: z.int(), topic: z.string() }).nullable(),
  /** Ids of the users, other than the event's recipient, who take part in the direct conversation of a message. */
  userIds: z.array(z.int()),
});

/** Data of a message that became unread. Clients need the data to update unread counts. */
export type UnreadMessage = z.infer<typeof unreadMessageSchema>;

const messageFlagsEventFlag = z.enum(editableMessageFlags);
const messageFlagsEventIds = z.array(z.int());

const unreadMessageDetailsSchema = z.strictObject({
  type: z.enum(['stream', 'private']),
  mentioned: z.literal(true).optional(),
  user_ids: messageFlagsEventIds.optional(),
  stream_id: z.int().optional(),
  topic: z.string().optional(),
  unmuted_stream_msg: z.boolean().optional(),
});

const messageFlagsEventFields = { flag: messageFlagsEventFlag, messages: messageFlagsEventIds, all: z.boolean() };

/** Event that reports a flag added to messages of a user (docs/contract/chat.md 3.4). */
export const flagsAddEvent = defineEventType({
  name: 'update_message_flags/add',
  audience: 'Only the user.',
  payload: z.strictObject({ flag: messageFlagsEventFlag, messageIds: messageFlagsEventIds }),
  divide: createPayloadDividerByLists('messageIds'),
}).addVariant({
  type: 'update_message_flags',
  op: 'add',
  fields: { ...messageFlagsEventFields, operation: z.literal('add') },
  render: ({ flag: name, messageIds }) => ({ operation: 'add' as const, flag: name, messages: messageIds, all: false }),
});

const messageFlagRemovalPayloadSchema = z.strictObject({
  flag: messageFlagsEventFlag,
  messageIds: messageFlagsEventIds,
  unread: z.array(unreadMessageSchema),
});

type MessageFlagRemovalPayload = z.infer<typeof messageFlagRemovalPayloadSchema>;

const divideFlagRemovalPayload = createPayloadDividerByLists<MessageFlagRemovalPayload>('messageIds');

/**
 * Event that reports a flag removed from messages of a user. If the flag is `read`, the event's field `unread` contains
 * the data that clients need to count unread messages.
 */
export const flagsRemoveEvent = defineEventType({
  name: 'update_message_flags/remove',
  audience: 'Only the user.',
  payload: messageFlagRemovalPayloadSchema,
  divide(removal) {
    const halves = divideFlagRemovalPayload(removal);
    const partOf = (part: MessageFlagRemovalPayload): MessageFlagRemovalPayload => {
      const messageIds = new Set(part.messageIds);
      return { ...part, unread: removal.unread.filter(({ id }) => messageIds.has(id)) };
    };
    return halves && [partOf(halves[0]), partOf(halves[1])];
  },
}).addVariant({
  type: 'update_message_flags',
  op: 'remove',
  fields: {
    ...messageFlagsEventFields,
    operation: z.literal('remove'),
    message_details: z
      .record(z.string(), unreadMessageDetailsSchema)
      .optional()
      .meta({ description: 'Present for the flag read' }),
  },
  render: ({ flag: name, messageIds, unread }, { capabilities }) => ({
    operation: 'remove' as const,
    flag: name,
    messages: messageIds,
    all: false,
    ...(name === 'read' && {
      message_details: Object.fromEntries(
        unread.map((message) => [message.id, getUnreadMessageDetails(message, capabilities)]),
      ),
    }),
  }),
});

/** List of all event types of the message flag feature. */
export const messageFlagEvents = [flagsAddEvent, flagsRemoveEvent];

function getUnreadMessageDetails(message: UnreadMessage, capabilities: { readonly empty_topic_name: boolean }) {
  const { channel, mentioned, muted, userIds } = message;
  const call = mentioned && { mentioned: true as const };
  if (channel === null) return { type: 'private' as const, ...call, user_ids: userIds };
  const topic = toDisplayedTopicName(channel.topic, capabilities);
  return { type: 'stream' as const, ...call, stream_id: channel.id, topic, unmuted_stream_msg: !muted };
}
