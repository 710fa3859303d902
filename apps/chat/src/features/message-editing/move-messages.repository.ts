import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { isChannelReadableSql, usersWhoMaySubscribeSql } from '../../core/access/channel-access.js';
import {
  type MessageBatchBounds,
  type MessageBatchSize,
  type MessageBatchSelectionSql,
  findMessageBatch,
  lockMessageBatch,
  type LockedMessageBatch,
} from '../../core/message-access/index.js';
import {
  selectAccessibleMessageClauses,
  type EmptyTopicRange,
  isTopicStillEmpty,
  lockUserMessageRowsSql,
  removeEmptyTopics,
  removeTopicEmptyOutsideRange,
  NumberedSqlParameters,
  topicIdSql,
} from '../../core/messages/index.js';
import type { MessageMove } from './update-message.events.js';

/** Messages of a topic that a request to move messages includes. */
export interface MovableMessageSelection {
  readonly mode: MessageMove['propagateMode'];
  /** Id of the message that the request to move messages names. */
  readonly id: number;
  readonly recipientId: number;
  readonly topicKey: string;
  /** Largest message id to exclude: the selection contains only messages with greater ids. */
  readonly after: number;
  /** Largest message id to include: the selection omits messages with greater ids. */
  readonly last?: number;
}

/** One batch of the messages that a request to move messages includes. */
export interface MovedMessageBatch {
  /** True if the move changes rows of `user_messages` (recipient rows), which then count toward the batch size. */
  readonly countsRecipients: boolean;
  readonly size: MessageBatchSize;
  /** Range of message ids that {@link findMovedBatch} has found for the batch. */
  readonly found: MessageBatchBounds | null;
}

/** Locks and returns the messages of the next batch of a move. Omits messages that the actor cannot read. */
export async function lockMovedMessages(
  tx: Tx,
  actor: ActorMovingMessages,
  movable: MovableMessageSelection,
  { countsRecipients, size, found }: MovedMessageBatch,
): Promise<LockedMessageBatch> {
  const sql = new NumberedSqlParameters();
  if (found === null)
    return lockMessageBatch(tx, createMovableMessagesBatchSource(actor, movable, countsRecipients, sql), sql, size);
  // The recipients of these messages were counted by `findMovedBatch`.
  const source = createMovableMessagesBatchSource(actor, { ...movable, last: found.last }, false, sql);
  return { ...(await lockMessageBatch(tx, source, sql, size)), isFull: true };
}

/** Finds the range of message ids of the next batch of a move. Takes no lock. See {@link findMessageBatch}. */
export async function findMovedBatch(
  database: Database,
  actor: ActorMovingMessages,
  movable: MovableMessageSelection,
  { countsRecipients, size }: Omit<MovedMessageBatch, 'found'>,
): Promise<MessageBatchBounds | null> {
  const sql = new NumberedSqlParameters();
  return findMessageBatch(database, createMovableMessagesBatchSource(actor, movable, countsRecipients, sql), sql, size);
}

function createMovableMessagesBatchSource(
  actor: ActorMovingMessages,
  movable: MovableMessageSelection,
  countsRecipients: boolean,
  sql: NumberedSqlParameters,
): MessageBatchSelectionSql {
  const select = createMovableMessagesSql(actor, movable, sql);
  return { select, order: 'ASC', before: 'm.topic_id', countsRecipients, writesMissingOf: movable.recipientId };
}

/** The user who moves messages to another channel or topic. */
export type ActorMovingMessages = Pick<ChatActor, 'id' | 'realmId' | 'role'>;

function createMovableMessagesSql(
  actor: ActorMovingMessages,
  { mode, ...message }: MovableMessageSelection,
  sql: NumberedSqlParameters,
): string {
  const { from, where } = selectAccessibleMessageClauses(actor, sql);
  const one = mode === 'change_one' ? ` AND m.id = ${sql.addValue(message.id)}` : '';
  const topic = topicIdSql(sql.addValue(message.recipientId), sql.addValue(message.topicKey));
  // At most one upper bound for (topic_id, id), because an index scan stops only at the first of several bounds.
  const end =
    message.last === undefined
      ? `m.topic_id <= ${topic}`
      : `(m.topic_id, m.id) <= (${topic}, ${sql.addValue(message.last)})`;
  // The planner does not combine the two bounds, so it expects many messages and reads them in order.
  return `SELECT m.id FROM ${from}
    WHERE ${where} AND (m.topic_id, m.id) > (${topic}, ${sql.addValue(message.after)}) AND ${end}${one}`;
}

/** Returns true if the first message of a move was sent before the given time. */
export async function isFirstMovedMessageBefore(
  tx: Tx,
  actor: ActorMovingMessages,
  movable: MovableMessageSelection,
  oldest: Date,
): Promise<boolean> {
  const sql = new NumberedSqlParameters();
  const first = `${createMovableMessagesSql(actor, movable, sql)} ORDER BY m.topic_id, m.id LIMIT 1`;
  const { rowCount } = await tx.query(
    `SELECT 1 FROM messages m WHERE m.id = (${first}) AND m.date_sent < ${sql.addValue(oldest)}`,
    sql.values,
  );
  return rowCount > 0;
}

/**
 * Number of messages that a request to move messages includes, and the number of these messages that are recent enough
 * to be moved.
 */
export interface MovableMessageCount {
  readonly total: number;
  readonly allowed: number;
  /** Id of the oldest message that is recent enough to be moved; null if all messages are too old. */
  readonly firstAllowed: number | null;
}

/**
 * Counts the messages that a move request includes.
 *
 * @param oldest the earliest sending time of messages that can be moved
 */
export async function countMovableMessages(
  tx: Tx,
  actor: ActorMovingMessages,
  movable: MovableMessageSelection,
  oldest: Date,
): Promise<MovableMessageCount> {
  const sql = new NumberedSqlParameters();
  const select = createMovableMessagesSql(actor, movable, sql);
  const isYoung = `m.date_sent >= ${sql.addValue(oldest)}`;
  const { rows } = await tx.query<MovableMessageCount>(
    `SELECT count(*) AS total, count(*) FILTER (WHERE ${isYoung}) AS allowed,
       min(m.id) FILTER (WHERE ${isYoung}) AS "firstAllowed"
     FROM messages m WHERE m.id IN (${select})`,
    sql.values,
  );
  return rows[0] ?? { total: 0, allowed: 0, firstAllowed: null };
}

/**
 * Marks moved messages as read for users who do not subscribe to the new channel, in the same way as unsubscribing.
 * Otherwise hidden unread messages would reappear after a later move or subscription. Executes one SQL statement.
 */
export async function markMovedMessagesRead(tx: Tx, messageIds: readonly number[], channelId: number): Promise<void> {
  await tx.query(markMovedMessagesReadSql, [messageIds, channelId]);
}

/**
 * SQL that finds the recipients of each message by the index of messages. If one query searched for the recipients of
 * all messages, the planner might read the whole index of unread rows, which begins with the user. The update locks the
 * rows in order, because conditions with `= ANY` force a nested loop join.
 */
const markMovedMessagesReadSql = `
  WITH unread AS MATERIALIZED (
    SELECT um.user_id, um.message_id FROM unnest($1::bigint[]) AS moved(id)
    CROSS JOIN LATERAL (
      SELECT user_id, message_id, flags FROM user_messages WHERE message_id = moved.id AND flags >= 0 OFFSET 0) um
    WHERE um.flags & 1 = 0 AND NOT EXISTS (
      SELECT 1 FROM subscriptions s WHERE s.channel_id = $2 AND s.user_id = um.user_id AND s.is_active)
    ORDER BY um.message_id, um.user_id
  )
  UPDATE user_messages um SET flags = um.flags | 1 FROM unread
  WHERE um.user_id = ANY (ARRAY[unread.user_id]) AND um.message_id = ANY (ARRAY[unread.message_id]) AND um.flags & 1 = 0`;

/** Ids of users who received moved messages, or who could read the messages before the move. */
export interface MovedMessageUsers {
  /** Ids of all users who have a recipient row for one of the messages. */
  readonly receivers: Iterable<number>;
  /** Ids of the users who could read the messages before the move. */
  readonly readers: Iterable<number>;
}

/**
 * Lists the recipients and readers of moved messages who cannot read the messages in the new channel. The transaction
 * must have locked the messages, so that no rows of `user_messages` are inserted. PostgreSQL plans the statement at
 * each execution, because the best plan depends on the number of users.
 */
export async function listUsersLosingAccess(
  tx: Tx,
  channelId: number,
  users: MovedMessageUsers,
): Promise<ReadonlySet<number>> {
  const values = [channelId, [...users.receivers], [...users.readers]];
  const { rows } = await tx.query<{ id: number }>({ text: usersLosingAccessSql, values, planned: 'each time' });
  return new Set(rows.map(({ id }) => id));
}

/** SQL that selects the users who cannot read the message history of the new channel. */
const usersLosingAccessSql = `
  WITH RECURSIVE ${usersWhoMaySubscribeSql('$1')}
  SELECT u.id FROM users u JOIN channels c ON c.id = $1
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = u.id AND s.is_active
  LEFT JOIN subscribing ON subscribing.user_id = u.id
  WHERE u.id = ANY($2::int[] || $3::int[]) AND (
    NOT ${isChannelReadableSql({ actor: 'u.id', isGuest: '(u.role = 600)', maySubscribe: 'subscribing.user_id IS NOT NULL' })}
    OR (c.is_private AND NOT c.history_public_to_subscribers AND NOT u.id = ANY($2::int[])))`;

/** Deletes the rows of `user_messages` for the given messages and users, in one SQL statement. */
export async function removeRecipientRows(
  tx: Tx,
  messageIds: readonly number[],
  userIds: readonly number[],
): Promise<void> {
  await tx.query(
    `WITH held AS (
       SELECT um.user_id, um.message_id FROM user_messages um
       WHERE um.user_id = ANY($2::int[]) AND um.message_id = ANY($1::bigint[]) ${lockUserMessageRowsSql}
     )
     DELETE FROM user_messages um USING held WHERE um.user_id = held.user_id AND um.message_id = held.message_id`,
    [messageIds, userIds],
  );
}

/**
 * Removes a topic if it has no messages.
 * @param empty range of ids in which the topic has no messages
 * @returns true if the topic has no messages
 */
export async function removeTopicIfEmpty(
  tx: Tx,
  recipientId: number,
  topicKey: string,
  empty: EmptyTopicRange | null,
): Promise<boolean> {
  if (empty === null) await removeEmptyTopics(tx, recipientId, [topicKey]);
  else await removeTopicEmptyOutsideRange(tx, empty);
  const { rowCount } = await tx.query('SELECT 1 FROM topics WHERE recipient_id = $1 AND topic_key = $2', [
    recipientId,
    topicKey,
  ]);
  return rowCount === 0;
}

/**
 * Returns the given range of message ids if the topic still has no messages with ids in this range; otherwise null. The
 * transaction must have locked the channel, and must not have moved messages yet.
 */
export async function lockEmptyTopicRange(tx: Tx, range: EmptyTopicRange | null): Promise<EmptyTopicRange | null> {
  return range !== null && (await isTopicStillEmpty(tx, range)) ? range : null;
}

/** A topic from which all messages were moved, and the topic to which the messages were moved. */
export interface TopicEmptiedByMove {
  readonly fromChannelId: number;
  readonly fromTopicKey: string;
  readonly toChannelId: number;
  readonly toRecipientId: number;
  readonly toTopicKey: string;
}

/**
 * Lists the users who have a visibility policy for a moved topic and cannot read the channel to which the topic was
 * moved.
 */
export async function listPolicyHoldersWithoutAccess(tx: Tx, topic: TopicEmptiedByMove): Promise<ReadonlySet<number>> {
  const { fromChannelId, fromTopicKey, toChannelId, toRecipientId, toTopicKey } = topic;
  const { rows } = await tx.query<{ id: number }>(policyHoldersWithoutAccessSql, [
    fromChannelId,
    fromTopicKey,
    toChannelId,
    toRecipientId,
    toTopicKey,
  ]);
  return new Set(rows.map(({ id }) => id));
}

const policyHoldersWithoutAccessSql = `
  SELECT u.id FROM user_topics ut JOIN users u ON u.id = ut.user_id JOIN channels c ON c.id = $3
  LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = u.id AND s.is_active
  WHERE ut.channel_id = $1 AND ut.topic_key = $2 AND (
    NOT ${isChannelReadableSql({ actor: 'u.id', isGuest: '(u.role = 600)' })}
    OR (c.is_private AND NOT c.history_public_to_subscribers AND NOT EXISTS (
      SELECT 1 FROM messages m JOIN user_messages um ON um.message_id = m.id AND um.user_id = u.id
      WHERE m.topic_id = ${topicIdSql('$4', '$5')})))`;
