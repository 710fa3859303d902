import type { Tx } from '@switchboard/database';
import { flagBit } from './message-flags.js';

/** A message about to be written. */
export interface NewMessage {
  readonly realmId: number;
  readonly senderId: number;
  readonly recipientId: number;
  readonly clientId: number;
  readonly topic: string;
  readonly topicKey: string;
  readonly content: string;
  readonly rendered: string;
  readonly renderedVersion: number;
  readonly isMeMessage: boolean;
  readonly hasLink: boolean;
  readonly hasAttachment: boolean;
  readonly hasImage: boolean;
}

/** Who receives it: the active subscribers of a channel, or these people. */
export type Receivers = { readonly channelId: number } | { readonly userIds: readonly number[] };

/** Whom it calls upon, and whether its sender has read it. */
export interface InitialFlags {
  readonly readBySender: boolean;
  readonly userIds: readonly number[];
  readonly groupIds: readonly number[];
  readonly channelWildcard: boolean;
  readonly topicWildcard: boolean;
}

/** A message as written: its receivers are grouped by the flags that they begin with. */
export interface InsertedMessage {
  readonly id: number;
  /** UNIX seconds. */
  readonly sentAt: number;
  readonly receivers: readonly (readonly [flags: number, userIds: readonly number[]])[];
}

interface InsertedRow {
  id: number;
  sent_at: number;
  receivers: [number, number[]][] | null;
}

/** Writes a message and the rows of everybody who receives it: one statement, however many they are. */
export async function insertMessage(
  tx: Tx,
  message: NewMessage,
  receivers: Receivers,
  flags: InitialFlags,
): Promise<InsertedMessage> {
  const toChannel = 'channelId' in receivers;
  const { rows } = await tx.query<InsertedRow>(
    {
      name: toChannel ? 'insert-channel-message' : 'insert-direct-message',
      text: toChannel ? channelSql : directSql,
    },
    [...messageValues(message), ...flagValues(flags), toChannel ? receivers.channelId : receivers.userIds],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An insert returned no row');
  return { id: row.id, sentAt: row.sent_at, receivers: row.receivers ?? [] };
}

function messageValues(message: NewMessage): unknown[] {
  return [
    message.realmId,
    message.senderId,
    message.recipientId,
    message.clientId,
    message.topic,
    message.topicKey,
    message.content,
    message.rendered,
    message.renderedVersion,
    message.isMeMessage,
    message.hasLink,
    message.hasAttachment,
    message.hasImage,
  ];
}

function flagValues(flags: InitialFlags): unknown[] {
  return [
    flags.readBySender ? flagBit.read : 0,
    flags.userIds,
    flags.groupIds,
    flags.channelWildcard ? flagBit.stream_wildcard_mentioned : 0,
    flags.topicWildcard ? flagBit.topic_wildcard_mentioned : 0,
  ];
}

/** Members of a group are those of its subgroups too; who took part in a topic has written in it. */
function insertSql(receivers: string): string {
  return `
  WITH RECURSIVE message AS (
    INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic, topic_key, content, rendered_content,
      rendered_version, is_me_message, has_link, has_attachment, has_image)
    VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13)
    RETURNING id, date_sent
  ), called_group(id) AS (
    SELECT unnest($16::int[])
    UNION
    SELECT sg.subgroup_id FROM user_group_subgroups sg JOIN called_group g ON sg.group_id = g.id
  ), called AS (
    SELECT DISTINCT gm.user_id FROM user_group_members gm JOIN called_group g ON gm.group_id = g.id
  ), participant AS (
    SELECT DISTINCT sender_id AS user_id FROM messages
    WHERE $18::int <> 0 AND recipient_id = $3 AND topic_key = $6
  ), receiver AS (
    INSERT INTO user_messages (user_id, message_id, flags)
    SELECT receiver.user_id, message.id,
      CASE WHEN receiver.user_id = $2 THEN $14::int ELSE 0 END
      | CASE WHEN receiver.user_id = ANY($15::int[]) THEN ${flagBit.mentioned} ELSE 0 END
      | CASE WHEN receiver.user_id IN (SELECT user_id FROM called) THEN ${flagBit.group_mentioned} ELSE 0 END
      | $17::int
      | CASE WHEN receiver.user_id IN (SELECT user_id FROM participant) THEN $18::int ELSE 0 END
    FROM message, (${receivers}) AS receiver
    RETURNING user_id, flags
  )
  SELECT message.id, floor(extract(epoch FROM message.date_sent))::bigint AS sent_at,
    (SELECT json_agg(json_build_array(alike.flags, alike.user_ids)) FROM (
      SELECT flags, array_agg(user_id ORDER BY user_id) AS user_ids FROM receiver GROUP BY flags) alike) AS receivers
  FROM message`;
}

const channelSql = insertSql(`
  SELECT s.user_id FROM subscriptions s JOIN users u ON u.id = s.user_id
  WHERE s.channel_id = $19 AND s.is_active AND u.is_active`);

const directSql = insertSql('SELECT unnest($19::int[]) AS user_id');
