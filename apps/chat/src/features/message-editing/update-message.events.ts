import { z } from 'zod';
import { defineEventType } from '../../events/define-event-type.js';
import { halvePackedMessageIds, packedMessageIdListSchema, unpackMessageIds } from '../../events/packed-message-ids.js';
import { toDisplayedTopicName } from '../../events/displayed-topic-name.js';
import {
  listMessageFlagNames,
  getFlagsOfRecipient,
  messageRecipientsSchema,
  topicLinkSchema,
} from '../../core/messages/index.js';

/**
 * Schema of the parameter that states how many messages a move includes: only the message that the request names, also
 * the later messages of its topic, or the whole topic (docs/contract/chat.md 5.7).
 */
export const propagateModeSchema = z.enum(['change_one', 'change_later', 'change_all']);

const contentChangeSchema = z.strictObject({
  before: z.string(),
  renderedBefore: z.string(),
  content: z.string(),
  rendered: z.string(),
  isMeMessage: z.boolean(),
});

const messageMoveSchema = z.strictObject({
  propagateMode: propagateModeSchema,
  topicBefore: z.string(),
  /** New topic of the moved messages; null if the topic has not changed. */
  topic: z.string().nullable(),
  /** Links in the name of the new topic; absent for a name without links. */
  topicLinks: z.array(topicLinkSchema).optional(),
  /** Id of the channel to which the messages were moved; null if the channel has not changed. */
  channelId: z.int().nullable(),
});

const updateMessageEventPayload = z.strictObject({
  /** Id of the user who edited the message; null if the service updated the link previews of the message. */
  userId: z.int().nullable(),
  messageId: z.int(),
  /**
   * Ids of the messages in this event log entry. A large move has several entries, so the message `messageId` may be in
   * another entry.
   */
  messageIds: packedMessageIdListSchema,
  /** Time of the edit or move, in UNIX seconds. */
  editedAt: z.int(),
  /** Channel of the messages before the move; null for direct messages. */
  channel: z.strictObject({ id: z.int(), name: z.string() }).nullable(),
  /** Message flags of the event's recipients on the edited message. */
  receivers: messageRecipientsSchema,
  content: contentChangeSchema.nullable(),
  move: messageMoveSchema.nullable(),
});

type UpdateMessageEventPayload = z.infer<typeof updateMessageEventPayload>;

export type ContentChange = z.infer<typeof contentChangeSchema>;
export type MessageMove = z.infer<typeof messageMoveSchema>;

/** Event that informs users about an edited message or about moved messages (docs/contract/chat.md 3.4). */
export const updateMessageEvent = defineEventType({
  name: 'update_message',
  webhookOrder: 'conversation',
  audience:
    'All users who received one of the messages and, if the channel shares its history, its subscribers; ' +
    'except users who cannot read the messages in their new place, or could not read them before.',
  payload: updateMessageEventPayload,
  divide(stored) {
    const halves = halvePackedMessageIds(stored);
    return halves && [createPayloadForMessages(stored, halves[0]), createPayloadForMessages(stored, halves[1])];
  },
}).addVariant({
  type: 'update_message',
  fields: {
    user_id: z.int().nullable(),
    rendering_only: z.boolean(),
    message_id: z.int(),
    message_ids: z.array(z.int()),
    flags: z.array(z.string()),
    edit_timestamp: z.int(),
    stream_name: z.string().optional(),
    stream_id: z.int().optional().meta({ description: 'The previous channel of the messages' }),
    orig_content: z.string().optional(),
    orig_rendered_content: z.string().optional(),
    content: z.string().optional(),
    rendered_content: z.string().optional(),
    is_me_message: z.boolean().optional(),
    propagate_mode: propagateModeSchema.optional(),
    orig_subject: z.string().optional(),
    subject: z.string().optional().meta({ description: 'Present if the topic changed' }),
    topic_links: z.array(topicLinkSchema).optional(),
    new_stream_id: z.int().optional().meta({ description: 'Present if the channel changed' }),
  },
  render: (stored, { viewer, capabilities }) => ({
    user_id: stored.userId,
    rendering_only: stored.userId === null,
    message_id: stored.messageId,
    message_ids: unpackMessageIds(stored),
    flags: listMessageFlagNames(getFlagsOfRecipient(stored.receivers, viewer.id)),
    edit_timestamp: stored.editedAt,
    ...(stored.channel !== null && { stream_name: stored.channel.name, stream_id: stored.channel.id }),
    ...getContentChangeFields(stored.content),
    ...getMessageMoveFields(stored.move, capabilities),
  }),
});

export const messageEditingEvents = [updateMessageEvent];

/**
 * Returns the event payload for some of the edited or moved messages. Contains the new content only if the edited
 * message is one of them.
 */
function createPayloadForMessages(stored: UpdateMessageEventPayload, messageIds: string): UpdateMessageEventPayload {
  const part = { ...stored, messageIds };
  return stored.content === null || unpackMessageIds(part).includes(stored.messageId)
    ? part
    : { ...part, content: null };
}

function getContentChangeFields(content: UpdateMessageEventPayload['content']) {
  if (content === null) return {};
  return {
    orig_content: content.before,
    orig_rendered_content: content.renderedBefore,
    content: content.content,
    rendered_content: content.rendered,
    is_me_message: content.isMeMessage,
  };
}

function getMessageMoveFields(
  move: UpdateMessageEventPayload['move'],
  capabilities: { readonly empty_topic_name: boolean },
) {
  if (move === null) return {};
  return {
    propagate_mode: move.propagateMode,
    orig_subject: toDisplayedTopicName(move.topicBefore, capabilities),
    ...(move.topic !== null && {
      subject: toDisplayedTopicName(move.topic, capabilities),
      topic_links: move.topicLinks ?? [],
    }),
    ...(move.channelId !== null && { new_stream_id: move.channelId }),
  };
}
