import { z } from 'zod';

/**
 * Schema of a user account that appears in a message. Contains the properties that decide which email address a reader
 * sees.
 */
export const messagePersonRecordSchema = z.strictObject({
  id: z.int(),
  deliveryEmail: z.string(),
  emailVisibility: z.int(),
  isBot: z.boolean(),
  fullName: z.string(),
  avatarSource: z.string(),
  avatarVersion: z.int(),
});

/**
 * Schema of one entry of a message's edit history in the API (chat-2.2-12). A key that is absent did not change in the
 * edit.
 */
export const editHistoryEntrySchema = z.strictObject({
  user_id: z.int().nullable(),
  timestamp: z.int(),
  prev_content: z.string().optional(),
  prev_rendered_content: z.string().optional(),
  prev_stream: z.int().optional(),
  stream: z.int().optional(),
  prev_topic: z.string().optional(),
  topic: z.string().optional(),
});

/** Schema of a reaction in the API (docs/contract/chat.md 5.1). */
export const reactionRecordSchema = z.strictObject({
  emoji_name: z.string(),
  emoji_code: z.string(),
  reaction_type: z.string(),
  user_id: z.int(),
});

/** Schema of a user's change to a message's poll or to-do list in the API (docs/contract/chat.md 5.1). */
export const submessageRecordSchema = z.strictObject({
  id: z.int(),
  message_id: z.int(),
  sender_id: z.int(),
  msg_type: z.string(),
  content: z.string().meta({ description: 'JSON' }),
});

/** Schema of a link that a linkifier of the realm creates from part of a topic (docs/contract/chat.md 5.1). */
export const topicLinkSchema = z.strictObject({ text: z.string(), url: z.string() });

/**
 * Schema of a message with all data that the API may return to any reader. Times are in UNIX seconds. `rendered` is
 * null if only the Markdown source was requested. `content` is null if only the HTML was requested.
 */
export const messageRecordSchema = z.strictObject({
  id: z.int(),
  realm: z.string().meta({ description: 'string_id of the realm' }),
  sender: messagePersonRecordSchema,
  recipientId: z.int(),
  channel: z.strictObject({ id: z.int(), name: z.string() }).nullable(),
  participants: z.array(messagePersonRecordSchema),
  topic: z.string(),
  topicLinks: z.array(topicLinkSchema).optional().meta({ description: 'Absent where there is none' }),
  content: z.string().nullable(),
  rendered: z.string().nullable(),
  isMeMessage: z.boolean(),
  client: z.string(),
  sentAt: z.int(),
  editedAt: z.int().nullable(),
  movedAt: z.int().nullable(),
  editHistory: z.array(editHistoryEntrySchema).nullable(),
  reactions: z.array(reactionRecordSchema),
  submessages: z.array(submessageRecordSchema),
});

export type MessagePersonRecord = z.infer<typeof messagePersonRecordSchema>;
export type MessageRecord = z.infer<typeof messageRecordSchema>;
export type SubmessageRecord = z.infer<typeof submessageRecordSchema>;
