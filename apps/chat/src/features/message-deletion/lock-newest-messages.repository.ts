import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import {
  type MessageBatchBounds,
  type MessageBatchSize,
  type MessageBatchSelectionSql,
  findMessageBatch,
  maxMessageBatchSize,
  lockMessageBatch,
  type LockedMessageBatch,
} from '../../core/message-access/index.js';
import { selectAccessibleMessageClauses, NumberedSqlParameters, topicIdSql } from '../../core/messages/index.js';

/** Messages of a topic that remain to be deleted. Their ids are smaller than `before`. */
export interface RemainingTopicMessages {
  readonly channelId: number;
  readonly topic: string;
  readonly before: number;
  /** Smallest message id to include in the deletion. By default, all messages of the topic are included. */
  readonly first?: number;
}

type MessageDeletingActor = Pick<ChatActor, 'id' | 'realmId' | 'role'>;

/**
 * Locks and returns the newest remaining messages of a topic that the actor may read, up to the limits of a batch. The
 * transaction must have locked the channel.
 *
 * @param found range of message ids that {@link findNewestTopicMessageRange} has returned
 */
export async function lockNewestTopicMessages(
  tx: Tx,
  actor: MessageDeletingActor,
  part: RemainingTopicMessages,
  { size, found }: { readonly size: MessageBatchSize; readonly found: MessageBatchBounds | null },
): Promise<LockedMessageBatch> {
  const sql = new NumberedSqlParameters();
  if (found === null) return lockMessageBatch(tx, newestMessagesBatchSource(actor, part, sql), sql, size);
  // The recipients of these messages were counted by `findNewestTopicMessageRange`.
  const source = { ...newestMessagesBatchSource(actor, { ...part, first: found.first }, sql), countsRecipients: false };
  return { ...(await lockMessageBatch(tx, source, sql, maxMessageBatchSize)), isFull: true };
}

/**
 * Finds the range of message ids for the next batch of a topic's newest messages. Takes no lock. See
 * {@link findMessageBatch}.
 */
export async function findNewestTopicMessageRange(
  database: Database,
  actor: MessageDeletingActor,
  part: RemainingTopicMessages,
  size: MessageBatchSize,
): Promise<MessageBatchBounds | null> {
  const sql = new NumberedSqlParameters();
  return findMessageBatch(database, newestMessagesBatchSource(actor, part, sql), sql, size);
}

function newestMessagesBatchSource(
  actor: MessageDeletingActor,
  part: RemainingTopicMessages,
  sql: NumberedSqlParameters,
): MessageBatchSelectionSql {
  const { from, where } = selectAccessibleMessageClauses(actor, sql);
  const recipientId = `(SELECT id FROM recipients WHERE channel_id = ${sql.addValue(part.channelId)}::bigint)`;
  const id = topicIdSql(recipientId, sql.addValue(normalizeTextForComparison(part.topic)));
  // At most one lower bound for (topic_id, id), because an index scan stops only at the first of several bounds.
  const end =
    part.first === undefined ? `m.topic_id >= ${id}` : `(m.topic_id, m.id) >= (${id}, ${sql.addValue(part.first)})`;
  // The planner does not combine the two bounds, so it expects many messages and reads them in order.
  const select = `SELECT m.id FROM ${from}
    WHERE ${where} AND (m.topic_id, m.id) < (${id}, ${sql.addValue(part.before)}) AND ${end}`;
  return { select, order: 'DESC', before: 'm.topic_id', countsRecipients: true };
}
