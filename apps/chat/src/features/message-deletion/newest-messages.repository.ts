import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/actor.js';
import { textKey } from '../../infra/text-key.js';
import type { LockedChannel } from '../../core/channels/index.js';
import { type BatchMessage, batchRows, lockBatchSql } from '../../core/message-access/index.js';
import { accessibleMessages, SqlParameters, topicId } from '../../core/messages/index.js';

/** Messages of a topic with ids below `before`. */
export interface TopicPart {
  readonly topic: string;
  readonly before: number;
}

/** Locks the newest messages of a part that the actor may read, as many as one transaction deletes. */
export async function lockNewest(
  tx: Tx,
  actor: Pick<ChatActor, 'id' | 'realmId' | 'role'>,
  channel: Pick<LockedChannel, 'recipient_id'>,
  { topic, before }: TopicPart,
): Promise<BatchMessage[]> {
  const sql = new SqlParameters();
  const { from, where } = accessibleMessages(actor, sql);
  const id = topicId(sql.add(channel.recipient_id), sql.add(textKey(topic)));
  // Two bounds that the planner does not combine: it expects so many messages that it reads them in order.
  const select = `SELECT m.id FROM ${from}
    WHERE ${where} AND (m.topic_id, m.id) < (${id}, ${sql.add(before)}) AND m.topic_id >= ${id}`;
  const statement = lockBatchSql({ select, order: 'DESC', before: 'm.topic_id', rows: String(batchRows) });
  return (await tx.query<BatchMessage>(statement, sql.values)).rows;
}
