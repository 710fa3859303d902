import type { Database, Tx } from '@switchboard/database';
import {
  createMessageIndexOrderBy,
  shownTopicSql,
  type NumberedSqlParameters,
  topicJoinSql,
} from '../messages/index.js';
import { hasConversationAwaySubscriberSql, omittedMessageRowsSql } from '../soft-deactivation/index.js';
import type { MessageBatchSize } from './adaptive-message-batch-size.js';

/** Id and topic of a message whose rows a batch transaction has locked. */
export interface LockedBatchMessage {
  readonly id: number;
  readonly topic: string;
}

/** SQL that selects the messages that a task changes in batches. */
export interface MessageBatchSelectionSql {
  /** SQL text `SELECT m.id FROM messages m ...` with its WHERE clause, but without ORDER BY and LIMIT. */
  readonly select: string;
  readonly order: 'ASC' | 'DESC';
  /**
   * Column that precedes the message id in the index that {@link select} uses. The column has the same value in all
   * selected rows; see `createMessageIndexOrderBy`.
   */
  readonly before?: string;
  /**
   * True if the task also changes rows of `user_messages`, and the size of a batch is therefore also limited in rows.
   */
  readonly countsRecipients: boolean;
  /**
   * Recipient id of the messages. Set if the task also inserts the message rows that soft deactivation omitted; the
   * inserted rows then count toward the size of a batch.
   */
  readonly writesMissingOf?: number;
}

/** A batch of locked messages that one transaction changes. */
export interface LockedMessageBatch {
  /** Locked messages of the batch, in ascending order of their ids. */
  readonly messages: readonly LockedBatchMessage[];
  /** True if the batch has reached its maximum size, so that more messages may follow. */
  readonly isFull: boolean;
}

/** Smallest and largest message id of a full batch of messages. */
export interface MessageBatchBounds {
  readonly first: number;
  readonly last: number;
}

/**
 * Finds the ids of the next batch of messages without blocking senders. Runs before the lock, because reading messages
 * and counting recipients takes as long as changing the messages.
 *
 * @returns null if less than a full batch remains
 */
export async function findMessageBatch(
  database: Database,
  source: MessageBatchSelectionSql,
  sql: NumberedSqlParameters,
  size: MessageBatchSize,
): Promise<MessageBatchBounds | null> {
  const { rows } = await database.query<MessageBatchBounds & { isFull: boolean }>(
    `WITH ${messageBatchSql(source, sql, size)}
     SELECT min(id) AS first, max(id) AS last, ${isMessageBatchFullSql(source, sql, size)} AS "isFull" FROM batch`,
    sql.values,
  );
  const [batch] = rows;
  return batch?.isFull === true ? { first: batch.first, last: batch.last } : null;
}

/**
 * Locks and returns the next messages that the source selects, up to the maximum batch size. The SQL compares ids by
 * `= ANY` even if there is only one id, because the planner then joins the messages by a nested loop. Otherwise the
 * planner would overestimate the number of messages and read all messages.
 */
export async function lockMessageBatch(
  tx: Tx,
  source: MessageBatchSelectionSql,
  sql: NumberedSqlParameters,
  size: MessageBatchSize,
): Promise<LockedMessageBatch> {
  const { rows } = await tx.query<LockedBatchMessage & { isFull: boolean }>(
    `WITH ${messageBatchSql(source, sql, size)}
     SELECT m.id, ${shownTopicSql} AS topic, ${isMessageBatchFullSql(source, sql, size)} AS "isFull"
     FROM batch JOIN messages m ON m.id = ANY (ARRAY[batch.id]) ${topicJoinSql} ORDER BY m.id FOR UPDATE OF m`,
    sql.values,
  );
  return { messages: rows, isFull: rows[0]?.isFull === true };
}

/**
 * Returns SQL that selects the messages of a batch. The SQL counts the recipient rows of the messages up to the limit.
 * The last message belongs to the batch even if its recipient rows exceed the limit. The maximum number of messages is
 * a literal, because the planner needs the value.
 */
function messageBatchSql(
  { select, order, before, countsRecipients, writesMissingOf }: MessageBatchSelectionSql,
  sql: NumberedSqlParameters,
  size: MessageBatchSize,
): string {
  const absent =
    writesMissingOf === undefined || !countsRecipients
      ? ''
      : ` UNION ALL SELECT FROM (${omittedMessageRowsSql('ARRAY[candidate.id]')}) missing
         WHERE ${hasConversationAwaySubscriberSql(sql.addValue(writesMissingOf))}`;
  const first = `SELECT id FROM (${select} ORDER BY ${createMessageIndexOrderBy({ id: 'm.id', before }, order)} LIMIT ${size.messages}) candidate`;
  const counted = countsRecipients
    ? `${first} LEFT JOIN LATERAL (
         SELECT FROM user_messages um WHERE um.message_id = candidate.id AND um.flags >= 0${absent} OFFSET 0) received ON true
       ORDER BY id ${order} LIMIT ${sql.addValue(size.rows)}`
    : first;
  return `counted AS MATERIALIZED (${counted}), batch AS MATERIALIZED (SELECT DISTINCT id FROM counted)`;
}

function isMessageBatchFullSql(
  { countsRecipients }: MessageBatchSelectionSql,
  sql: NumberedSqlParameters,
  size: MessageBatchSize,
): string {
  const messages = `(SELECT count(*) FROM batch) >= ${size.messages}`;
  return countsRecipients ? `(${messages} OR (SELECT count(*) FROM counted) >= ${sql.addValue(size.rows)})` : messages;
}
