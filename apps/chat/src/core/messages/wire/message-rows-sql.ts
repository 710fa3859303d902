import { z } from 'zod';
import {
  editHistoryEntrySchema,
  type MessageRecord,
  messagePersonRecordSchema,
  reactionRecordSchema,
  submessageRecordSchema,
} from './message-record-schema.js';
import { shownHistorySql, shownMoveTimeSql, createShownTopicSql } from '../topics/topic-row-sql.js';

/** Returns an SQL expression of the account row `alias` as JSON that matches `messagePersonRecordSchema`. */
export function createPersonJsonSql(alias: string): string {
  return `json_build_object('id', ${alias}.id, 'deliveryEmail', ${alias}.delivery_email,
    'emailVisibility', ${alias}.email_address_visibility, 'isBot', ${alias}.bot_type IS NOT NULL,
    'fullName', ${alias}.full_name, 'avatarSource', ${alias}.avatar_source, 'avatarVersion', ${alias}.avatar_version)`;
}

/** Form of the message texts that an SQL statement reads: HTML, Markdown or both. */
export type MessageTextForm = 'html' | 'markdown' | 'both';

/** JSON array that represents a message in the columns of {@link messagePartsSql}. */
type SelectedMessageTuple = readonly [
  id: number,
  flags: number,
  senderId: number,
  recipientId: number,
  clientId: number,
  topic: string,
  content: string | null,
  rendered: string | null,
  isMeMessage: boolean,
  sentAt: number,
  editedAt: number | null,
  movedAt: number | null,
  editHistory: z.infer<typeof editHistoryEntrySchema>[] | null,
];

type SelectedRecipientTuple = readonly [
  id: number,
  channelId: number | null,
  channelName: string | null,
  participantIds: number[] | null,
];

/** Database row with the columns of {@link messagePartsSql}. Null represents an empty list. */
export interface MessageSqlParts {
  realm: string;
  messages: SelectedMessageTuple[] | null;
  people: z.infer<typeof messagePersonRecordSchema>[] | null;
  recipients: SelectedRecipientTuple[] | null;
  clients: [id: number, name: string][] | null;
  reactions: [messageId: number, reaction: z.infer<typeof reactionRecordSchema>][] | null;
  submessages: [messageId: number, submessage: z.infer<typeof submessageRecordSchema>][] | null;
}

/**
 * Returns the SQL column list of `messages m` for {@link messagePartsSql}, except the id. The parameter is the SQL of
 * the reader's message flags.
 */
export function createMessageColumnsSql(flags: string): string {
  return `${flags} AS flags, m.sender_id, m.recipient_id, m.client_id, m.topic_id, m.topic_since, m.topic,
    m.is_me_message, m.date_sent,
    m.last_edit_at, m.last_moved_at, m.edit_history`;
}

const unixSecondsSql = (column: string): string => `floor(extract(epoch FROM ${column}))::bigint`;

/** Maximum number of edits per message in a page of messages. The page contains the newest edits. */
const maxShownEditsPerMessage = 50;
const selectNewestEditsSql = `CASE WHEN jsonb_array_length(place.edits) <= ${maxShownEditsPerMessage} THEN place.edits ELSE (
  SELECT jsonb_agg(newest.entry ORDER BY newest.place) FROM (
    SELECT edit.entry, edit.place FROM jsonb_array_elements(place.edits) WITH ORDINALITY AS edit(entry, place)
    WHERE realm.settings ->> 'message_edit_history_visibility_policy' IS DISTINCT FROM 'moves'
      OR edit.entry ?| '{prev_topic,prev_stream}'
    ORDER BY edit.place LIMIT ${maxShownEditsPerMessage}) newest) END`;

/**
 * SQL that computes the topic, edit history and last move time of each message in `picked`. Edit history and move time
 * include renamings of the topic.
 */
const selectedTopicAndHistorySql = `
    SELECT ${createShownTopicSql('picked')} AS shown_topic, ${shownHistorySql('picked', maxShownEditsPerMessage)} AS edits,
      ${shownMoveTimeSql('picked')} AS moved_at
    FROM (SELECT) one LEFT JOIN topics mt ON mt.id = picked.topic_id OFFSET 0`;

/**
 * Returns SQL that reads the texts of a message in `picked`. OFFSET forces one lookup per message, so that no query
 * plan reads the texts of all messages.
 */
const selectedMessageTextSql = (form: MessageTextForm): string => `
    SELECT ${form === 'html' ? 'NULL' : 'x.content'} AS content,
      ${form === 'markdown' ? 'NULL' : 'x.rendered_content'} AS rendered
    FROM message_texts x WHERE x.message_id = picked.id OFFSET 0`;

/** Estimated size in bytes of a reaction in a response, including the account of the user who reacted. */
const estimatedReactionBytes = 250;
/** Estimated size in bytes of a submessage in a response, without the submessage's content. */
const estimatedSubmessageBytes = 100;

/**
 * Returns SQL that selects the id and size in bytes of each message in `picked`. The size includes the message's texts,
 * the shown part of its edit history, its reactions and its submessages. PostgreSQL determines text lengths without
 * reading the texts, and few messages have an edit history.
 */
export const messageSizesSql = (form: MessageTextForm): string => `
  SELECT picked.id, ${form === 'html' ? '0' : 'octet_length(x.content)'}::bigint
      + ${form === 'markdown' ? '0' : 'octet_length(x.rendered_content)'}
      + CASE WHEN picked.edit_history IS NULL THEN 0 ELSE octet_length(picked.edit_history::text)::bigint
        * ${maxShownEditsPerMessage} / greatest(${maxShownEditsPerMessage}, jsonb_array_length(picked.edit_history)) END
      + (SELECT count(*) * ${estimatedReactionBytes} FROM reactions re WHERE re.message_id = picked.id)
      + (SELECT coalesce(sum(octet_length(sm.content) + ${estimatedSubmessageBytes}), 0) FROM submessages sm
         WHERE sm.message_id = picked.id) AS bytes
  FROM picked CROSS JOIN LATERAL (SELECT * FROM message_texts WHERE message_id = picked.id OFFSET 0) x`;

/**
 * Returns an SQL condition that the messages in `picked` have at most `most` reactions and at most `most` submessages.
 */
export const hasFewReactionsSql = (most: number): string =>
  ['reactions', 'submessages']
    .map(
      (table) =>
        `(SELECT count(*) FROM (SELECT FROM ${table} WHERE message_id = ${messageIdListSql('id')} LIMIT ${most + 1}) part) <= ${most}`,
    )
    .join(' AND ');

const messageIdListSql = (column: string): string => `ANY(ARRAY(SELECT ${column} FROM picked))`;

/**
 * Returns SQL columns with all data of the messages in `picked`, in one row for `realms realm`. A page of a hundred
 * messages has few senders, recipients and client programs, so the SQL returns each of these objects only once. One
 * JSON text per column costs the database and the service much less than one row per message.
 * @param condition SQL condition for reading `messages`, `reactions` and `submessages`, whose columns are null if the
 * condition is false. PostgreSQL evaluates the condition once, before it reads any text
 */
export const messagePartsSql = (form: MessageTextForm, condition = 'true'): string => `realm.string_id AS realm,
  (SELECT json_agg(json_build_array(id, flags, sender_id, recipient_id, client_id, place.shown_topic, content, rendered,
      is_me_message, ${unixSecondsSql('date_sent')}, ${unixSecondsSql('last_edit_at')}, ${unixSecondsSql('place.moved_at')}, ${selectNewestEditsSql})
    ORDER BY id) FROM picked CROSS JOIN LATERAL (${selectedMessageTextSql(form)}) text
    CROSS JOIN LATERAL (${selectedTopicAndHistorySql}) place WHERE ${condition}) AS messages,
  (SELECT json_agg(${createPersonJsonSql('u')}) FROM users u WHERE u.id = ANY(ARRAY(
    SELECT sender_id FROM picked UNION SELECT unnest(r.participant_ids) FROM recipients r
    WHERE r.id = ${messageIdListSql('recipient_id')}))) AS people,
  (SELECT json_agg(json_build_array(r.id, r.channel_id, c.name, r.participant_ids))
   FROM recipients r LEFT JOIN channels c ON c.id = r.channel_id WHERE r.id = ${messageIdListSql('recipient_id')}) AS recipients,
  (SELECT json_agg(json_build_array(id, name)) FROM clients WHERE id = ${messageIdListSql('client_id')}) AS clients,
  (SELECT json_agg(json_build_array(re.message_id, json_build_object('emoji_name', re.emoji_name,
      'emoji_code', re.emoji_code, 'reaction_type', re.reaction_type, 'user_id', re.user_id)) ORDER BY re.id)
   FROM reactions re WHERE re.message_id = ${messageIdListSql('id')} AND ${condition}) AS reactions,
  (SELECT json_agg(json_build_array(sm.message_id, sm) ORDER BY sm.id)
   FROM submessages sm WHERE sm.message_id = ${messageIdListSql('id')} AND ${condition}) AS submessages`;

/** A message, with the reader's flags on the message as bits. */
export interface MessageWithReaderFlags {
  readonly message: MessageRecord;
  readonly flags: number;
}

/**
 * Converts a database row with the columns of {@link messagePartsSql} to messages, in ascending order of the message
 * ids.
 */
export function convertRowToMessages(parts: MessageSqlParts): MessageWithReaderFlags[] {
  const people = new Map((parts.people ?? []).map((person) => [person.id, person]));
  const recipients = new Map((parts.recipients ?? []).map((recipient) => [recipient[0], recipient]));
  const clients = new Map(parts.clients);
  const reactions = groupRowsByMessage(parts.reactions ?? []);
  const submessages = groupRowsByMessage(parts.submessages ?? []);
  return (parts.messages ?? []).map((tuple) => {
    const [id, flags, senderId, recipientId, clientId, topic, content, rendered, isMeMessage] = tuple;
    const [, , , , , , , , , sentAt, editedAt, movedAt, editHistory] = tuple;
    const [, channelId, channelName, participantIds] = getRequiredMapValue(recipients, recipientId);
    const message = {
      id,
      realm: parts.realm,
      sender: getRequiredMapValue(people, senderId),
      recipientId,
      channel: channelId === null ? null : { id: channelId, name: channelName ?? '' },
      participants: (participantIds ?? []).map((participantId) => getRequiredMapValue(people, participantId)),
      topic,
      content,
      rendered,
      isMeMessage,
      client: getRequiredMapValue(clients, clientId),
      sentAt,
      editedAt,
      movedAt,
      editHistory,
      reactions: reactions.get(id) ?? [],
      submessages: submessages.get(id) ?? [],
    };
    return { message, flags };
  });
}

function groupRowsByMessage<T>(entries: readonly (readonly [messageId: number, value: T])[]): Map<number, T[]> {
  const values = new Map<number, T[]>();
  for (const [messageId, value] of entries) {
    const known = values.get(messageId);
    if (known === undefined) values.set(messageId, [value]);
    else known.push(value);
  }
  return values;
}

/**
 * Returns the value of a key in a map, or throws if the key is missing. Foreign keys of the database guarantee that the
 * key exists.
 */
function getRequiredMapValue<T>(entries: ReadonlyMap<number, T>, id: number): T {
  const entry = entries.get(id);
  if (entry === undefined) throw new Error(`A message refers to ${id}, which does not exist`);
  return entry;
}
