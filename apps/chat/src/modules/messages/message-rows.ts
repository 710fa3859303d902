import { z } from 'zod';
import {
  editHistoryEntry,
  type MessageRecord,
  personRecord,
  reactionRecord,
  submessageRecord,
} from './message-record.js';

/** An account `alias` as JSON in the shape of `personRecord`. */
export function personJson(alias: string): string {
  return `json_build_object('id', ${alias}.id, 'deliveryEmail', ${alias}.delivery_email,
    'emailVisibility', ${alias}.email_address_visibility, 'isBot', ${alias}.bot_type IS NOT NULL,
    'fullName', ${alias}.full_name, 'avatarSource', ${alias}.avatar_source, 'avatarVersion', ${alias}.avatar_version)`;
}

/** A row of {@link messageColumns}. */
export interface MessageRow {
  id: number;
  realm: string;
  sender: z.infer<typeof personRecord>;
  recipient_id: number;
  channel_id: number | null;
  channel_name: string | null;
  participants: z.infer<typeof personRecord>[] | null;
  topic: string;
  content: string | null;
  rendered_content: string | null;
  is_me_message: boolean;
  client: string;
  sent_at: number;
  edited_at: number | null;
  moved_at: number | null;
  edit_history: z.infer<typeof editHistoryEntry>[] | null;
  reactions: z.infer<typeof reactionRecord>[] | null;
  submessages: z.infer<typeof submessageRecord>[] | null;
}

const seconds = (column: string): string => `floor(extract(epoch FROM ${column}))::bigint`;

/** Which of its texts a message is read with. */
export type TextForm = 'html' | 'markdown' | 'both';

/** Everything that a message's forms are made of, for {@link messageJoins}. */
export function messageColumns(form: TextForm): string {
  return `m.id, realm.string_id AS realm, ${personJson('sender')} AS sender, m.recipient_id,
    r.channel_id, c.name AS channel_name,
    CASE WHEN r.channel_id IS NULL THEN (
      SELECT json_agg(${personJson('p')}) FROM users p WHERE p.id = ANY(r.participant_ids)) END AS participants,
    m.topic, ${form === 'html' ? 'NULL' : 'm.content'} AS content,
    ${form === 'markdown' ? 'NULL' : 'm.rendered_content'} AS rendered_content,
    m.is_me_message, client.name AS client, ${seconds('m.date_sent')} AS sent_at,
    ${seconds('m.last_edit_at')} AS edited_at, ${seconds('m.last_moved_at')} AS moved_at, m.edit_history,
    (SELECT json_agg(json_build_object('emoji_name', re.emoji_name, 'emoji_code', re.emoji_code,
       'reaction_type', re.reaction_type, 'user_id', re.user_id) ORDER BY re.id)
     FROM reactions re WHERE re.message_id = m.id) AS reactions,
    (SELECT json_agg(to_json(sm) ORDER BY sm.id) FROM submessages sm WHERE sm.message_id = m.id) AS submessages`;
}

/** What {@link messageColumns} reads, joined to `messages m`. */
export const messageJoins = `
  JOIN recipients r ON r.id = m.recipient_id
  JOIN users sender ON sender.id = m.sender_id
  JOIN realms realm ON realm.id = m.realm_id
  JOIN clients client ON client.id = m.client_id
  LEFT JOIN channels c ON c.id = r.channel_id`;

/** The message that a row describes. */
export function messageOfRow(row: MessageRow): MessageRecord {
  return {
    id: row.id,
    realm: row.realm,
    sender: row.sender,
    recipientId: row.recipient_id,
    channel: row.channel_id === null ? null : { id: row.channel_id, name: row.channel_name ?? '' },
    participants: row.participants ?? [],
    topic: row.topic,
    content: row.content,
    rendered: row.rendered_content,
    isMeMessage: row.is_me_message,
    client: row.client,
    sentAt: row.sent_at,
    editedAt: row.edited_at,
    movedAt: row.moved_at,
    editHistory: row.edit_history,
    reactions: row.reactions ?? [],
    submessages: row.submessages ?? [],
  };
}
