import { z } from 'zod';
import { createAvatarUrl } from '../../access/avatar-url.js';
import { getDisplayedEmail, type EmailViewer } from '../../access/email-visibility.js';
import type { RealmSettings } from '../../realms/index.js';
import { type EditHistory, selectVisibleEditHistory } from './edit-history.js';
import {
  editHistoryEntrySchema,
  type MessageRecord,
  type MessagePersonRecord,
  reactionRecordSchema,
  submessageRecordSchema,
  topicLinkSchema,
} from './message-record-schema.js';

const directMessageParticipantSchema = z.strictObject({
  id: z.int(),
  email: z.string(),
  full_name: z.string(),
  is_mirror_dummy: z.boolean(),
});

/** Schema of the message fields that both GET responses and events contain (chat-2.2, docs/contract/chat.md 5.1). */
export const wireMessageSchema = z.strictObject({
  id: z.int(),
  avatar_url: z.string().nullable(),
  client: z.string(),
  content: z.string(),
  content_type: z.enum(['text/html', 'text/x-markdown']),
  display_recipient: z.union([z.string(), z.array(directMessageParticipantSchema)]),
  is_me_message: z.boolean(),
  reactions: z.array(reactionRecordSchema),
  recipient_id: z.int(),
  sender_email: z.string(),
  sender_full_name: z.string(),
  sender_id: z.int(),
  sender_realm_str: z.string(),
  stream_id: z.int().optional(),
  subject: z.string(),
  submessages: z.array(submessageRecordSchema),
  timestamp: z.int(),
  topic_links: z.array(topicLinkSchema),
  type: z.enum(['stream', 'private']),
});

/** Schema of a message in GET responses, with its edit history and the reader's flags. */
export const fetchedMessageSchema = wireMessageSchema
  .extend({
    flags: z.array(z.string()),
    edit_history: z.array(editHistoryEntrySchema).optional(),
    last_edit_timestamp: z.int().optional(),
    last_moved_timestamp: z.int().optional(),
    match_content: z.string().optional().meta({ description: 'As HTML, with the words of the search highlighted.' }),
    match_subject: z
      .string()
      .optional()
      .meta({ description: 'The topic as HTML, with the words of the search highlighted.' }),
  })
  .meta({ id: 'Message' });

export type WireMessage = z.infer<typeof wireMessageSchema>;
export type FetchedMessage = z.infer<typeof fetchedMessageSchema>;

/** The user for whom the API formats a message, and the format that the user's client requested. */
export interface MessageViewOptions {
  readonly viewer: EmailViewer;
  /** True if the client requests message contents as HTML, false for Markdown. */
  readonly applyMarkdown: boolean;
  /** True if the client computes the URLs of Gravatar avatars itself. */
  readonly clientGravatar: boolean;
  /** Display name of the empty topic; null for clients that support the empty topic. */
  readonly emptyTopicName: string | null;
}

/** Options of {@link MessageViewOptions}, with the realm's setting for the visibility of edit histories. */
export interface FetchedMessageViewOptions extends MessageViewOptions {
  readonly editHistoryPolicy: RealmSettings['message_edit_history_visibility_policy'];
}

/** Returns a message in the JSON form of the API, in the format that a client requested. */
export function toWireMessage(message: MessageRecord, view: MessageViewOptions): WireMessage {
  const { sender, channel } = message;
  return {
    id: message.id,
    avatar_url: createAvatarUrl(view.viewer, sender, view.clientGravatar),
    client: message.client,
    content: (view.applyMarkdown ? message.rendered : message.content) ?? '',
    content_type: view.applyMarkdown ? 'text/html' : 'text/x-markdown',
    display_recipient:
      channel === null ? listSortedDirectMessageParticipants(message.participants, view.viewer) : channel.name,
    is_me_message: message.isMeMessage,
    reactions: message.reactions,
    recipient_id: message.recipientId,
    sender_email: getDisplayedEmail(view.viewer, sender),
    sender_full_name: sender.fullName,
    sender_id: sender.id,
    sender_realm_str: message.realm,
    stream_id: channel?.id,
    subject: channel === null ? '' : message.topic || (view.emptyTopicName ?? ''),
    submessages: message.submessages,
    timestamp: message.sentAt,
    topic_links: message.topicLinks ?? [],
    type: channel === null ? 'private' : 'stream',
  };
}

/** Returns a message in the JSON form of GET responses, with its edit history and the reader's flags. */
export function toFetchedMessage(
  message: MessageRecord,
  flags: string[],
  view: FetchedMessageViewOptions,
): FetchedMessage {
  // The object is filled in place, because spreading so many keys takes longer than creating and serializing it.
  const fetched: FetchedMessage = Object.assign(toWireMessage(message, view), { flags });
  const editHistory = selectVisibleEditHistory(message.editHistory, view.editHistoryPolicy);
  if (editHistory !== null) fetched.edit_history = editHistory.map((entry) => addEmptyTopicDisplayNames(entry, view));
  if (message.editedAt !== null) fetched.last_edit_timestamp = message.editedAt;
  if (message.movedAt !== null) fetched.last_moved_timestamp = message.movedAt;
  return fetched;
}

/**
 * Returns an edit history entry in which the display name replaces the empty topic. Returns the unchanged entry for
 * clients that support the empty topic.
 */
function addEmptyTopicDisplayNames(
  entry: EditHistory[number],
  { emptyTopicName }: MessageViewOptions,
): EditHistory[number] {
  if (emptyTopicName === null || entry.topic === undefined) return entry;
  return { ...entry, topic: entry.topic || emptyTopicName, prev_topic: (entry.prev_topic ?? '') || emptyTopicName };
}

/**
 * Returns the participants of a direct message, sorted by their stored email addresses, so that all readers receive the
 * same order.
 */
function listSortedDirectMessageParticipants(participants: readonly MessagePersonRecord[], viewer: EmailViewer) {
  return participants
    .toSorted((a, b) => (a.deliveryEmail < b.deliveryEmail ? -1 : 1))
    .map((person) => ({
      id: person.id,
      email: getDisplayedEmail(viewer, person),
      full_name: person.fullName,
      is_mirror_dummy: false,
    }));
}
