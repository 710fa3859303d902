import type { Database, Tx } from '@switchboard/database';
import type { TopicMessages } from '../message-deletion/index.js';

/** A conversation whose oldest message has outlived what the realm or the channel keeps. */
export interface ExpiringConversation {
  readonly recipientId: number;
  readonly realmId: number;
  /** Null for direct messages. */
  readonly channelId: number | null;
}

/** A message that is to go. */
export interface ExpiredMessage {
  readonly id: number;
  readonly topic: string;
  readonly topicKey: string;
}

/** The conversation, with everything that says for how long it is kept. */
const keptConversation = `recipients r JOIN realms realm ON realm.id = r.realm_id
  LEFT JOIN channels c ON c.id = r.channel_id`;

const days = `coalesce(c.message_retention_days, (realm.settings ->> 'message_retention_days')::int, -1)`;

/** In seconds, not by a date: the days of a channel may reach back further than dates do. */
const isExpired = (sentAt: string, now: string): string =>
  `(${days} > 0 AND extract(epoch FROM ${now}::timestamptz - ${sentAt}) > ${days} * 86400.0)`;

/** The conversations that have something to delete. One look at the oldest message of each: ids ascend as time does. */
export async function listExpiringConversations(database: Database, now: Date): Promise<ExpiringConversation[]> {
  const { rows } = await database.query<ExpiringConversation>(
    `SELECT r.id AS "recipientId", r.realm_id AS "realmId", r.channel_id AS "channelId"
     FROM ${keptConversation}
     CROSS JOIN LATERAL (
       SELECT m.date_sent FROM messages m WHERE m.recipient_id = r.id ORDER BY m.id LIMIT 1
     ) oldest
     WHERE ${isExpired('oldest.date_sent', '$1')} ORDER BY r.id`,
    [now],
  );
  return rows;
}

/** Holds the oldest messages of a conversation that are to go, ascending: fewer than the limit when no more follow. */
export async function holdExpiredMessages(
  tx: Tx,
  recipientId: number,
  now: Date,
  limit: number,
): Promise<ExpiredMessage[]> {
  const { rows } = await tx.query<ExpiredMessage>(
    `SELECT m.id, m.topic, m.topic_key AS "topicKey"
     FROM ${keptConversation} JOIN messages m ON m.recipient_id = r.id
     WHERE r.id = $1 AND ${isExpired('m.date_sent', '$2')}
       AND m.id IN (SELECT id FROM messages WHERE recipient_id = $1 ORDER BY id LIMIT $3)
     ORDER BY m.id FOR UPDATE OF m`,
    [recipientId, now, limit],
  );
  return rows;
}

/** Topics in the order of their oldest messages, under the names that these have. */
export function byTopic(messages: readonly ExpiredMessage[]): TopicMessages[] {
  const topics = new Map<string, { topic: string; messageIds: number[] }>();
  for (const { id, topic, topicKey } of messages) {
    const known = topics.get(topicKey);
    if (known === undefined) topics.set(topicKey, { topic, messageIds: [id] });
    else known.messageIds.push(id);
  }
  return [...topics.values()];
}
