import type { Tx } from '@switchboard/database';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import type { MessageEditRequest } from './edit-message-request.js';
import type { MessageMovePlan } from './message-move-plan.js';
import type { MessageMove } from './update-message.events.js';

/** A stored move of messages, which several transactions execute batch by batch. */
export interface StoredMessageMove {
  readonly id: number;
  readonly realmId: number;
  readonly actorId: number;
  /**
   * Current role of the user who requested the move. Role and subscriptions determine which messages the user can read.
   */
  readonly actorRole: number;
  readonly actorName: string;
  /** Id of the message that the request to move messages named. */
  readonly messageId: number;
  readonly fromChannelId: number;
  /** Id of the recipient row of the source channel; null if the source channel was deleted. */
  readonly fromRecipientId: number | null;
  /** True if all subscribers of the source channel can read all messages of this channel. */
  readonly fromSharesHistory: boolean;
  readonly fromTopicKey: string;
  readonly fromTopic: string;
  readonly toChannelId: number;
  readonly toTopic: string;
  readonly propagateMode: MessageMove['propagateMode'];
  readonly resolution: MessageMovePlan['resolution'];
  readonly tellsOldThread: boolean;
  readonly tellsNewThread: boolean;
  /** Time at which the move was requested, in milliseconds since the epoch. */
  readonly editedAtMs: number;
  /** Largest id of the messages that the move has moved so far. */
  readonly lastMessageId: number;
  readonly movedCount: number;
}

/** A requested move of messages that will be stored, because it needs several transactions. */
export interface RequestedMessageMove {
  readonly realmId: number;
  readonly actorId: number;
  readonly message: { readonly id: number; readonly topicKey: string };
  readonly plan: MessageMovePlan;
  readonly request: Pick<MessageEditRequest, 'tellsOldThread' | 'tellsNewThread'>;
  /** Time at which the move was requested, in milliseconds since the epoch. */
  readonly editedAtMs: number;
}

/** A topic of a channel, given by the channel id and the topic's lookup key. */
export interface ChannelTopicKey {
  readonly channelId: number;
  readonly topicKey: string;
}

/**
 * Stores a move of messages. With `change_later`, the move begins at the message that the request names. The
 * transaction must have locked the channels.
 *
 * @returns the id of the move
 */
export async function addStoredMove(
  tx: Tx,
  { realmId, actorId, message, plan, ...move }: RequestedMessageMove,
): Promise<number> {
  const { rows } = await tx.query<{ id: number }>(
    `INSERT INTO message_moves (realm_id, actor_id, message_id, from_channel_id, from_topic_key, from_topic,
       to_channel_id, to_topic_key, to_topic, propagate_mode, resolution, tells_old_thread, tells_new_thread, edited_at,
       last_message_id)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15) RETURNING id`,
    [
      realmId,
      actorId,
      message.id,
      plan.source.id,
      message.topicKey,
      plan.topicBefore,
      plan.destination.channel.id,
      normalizeTextForComparison(plan.topic),
      plan.topic,
      plan.propagateMode,
      plan.resolution,
      move.request.tellsOldThread,
      move.request.tellsNewThread,
      new Date(move.editedAtMs),
      plan.propagateMode === 'change_all' ? 0 : message.id - 1,
    ],
  );
  const [row] = rows;
  if (row === undefined) throw new Error('An insert returned no row');
  return row.id;
}

/** Returns the stored move of messages with the given id; undefined if the move is completed. */
export async function findStoredMove(tx: Tx, id: number): Promise<StoredMessageMove | undefined> {
  const { rows } = await tx.query<StoredMessageMove>(
    `SELECT mm.id, mm.realm_id AS "realmId", mm.actor_id AS "actorId", u.role AS "actorRole",
       u.full_name AS "actorName", mm.message_id AS "messageId", mm.from_channel_id AS "fromChannelId",
       r.id AS "fromRecipientId", coalesce(NOT c.is_private OR c.history_public_to_subscribers, false) AS "fromSharesHistory",
       mm.from_topic_key AS "fromTopicKey", mm.from_topic AS "fromTopic", mm.to_channel_id AS "toChannelId",
       mm.to_topic AS "toTopic", mm.propagate_mode AS "propagateMode", mm.resolution,
       mm.tells_old_thread AS "tellsOldThread", mm.tells_new_thread AS "tellsNewThread",
       floor(extract(epoch FROM mm.edited_at) * 1000)::bigint AS "editedAtMs",
       mm.last_message_id AS "lastMessageId", mm.moved_count AS "movedCount"
     FROM message_moves mm JOIN users u ON u.id = mm.actor_id LEFT JOIN channels c ON c.id = mm.from_channel_id
     LEFT JOIN recipients r ON r.channel_id = c.id WHERE mm.id = $1`,
    [id],
  );
  return rows[0];
}

/**
 * Returns the id of an unfinished move of messages from or to one of two topics; undefined if no move concerns these
 * topics. The transaction must have locked the channels.
 */
export async function findUnfinishedMoveOfTopics(
  tx: Tx,
  from: ChannelTopicKey,
  to: ChannelTopicKey,
): Promise<number | undefined> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT id FROM message_moves
     WHERE (from_channel_id, from_topic_key) IN (($1, $2), ($3, $4))
       OR (to_channel_id, to_topic_key) IN (($1, $2), ($3, $4)) ORDER BY id LIMIT 1`,
    [from.channelId, from.topicKey, to.channelId, to.topicKey],
  );
  return rows[0]?.id;
}

/**
 * Records which messages a stored move has moved.
 *
 * @param ids ids of these messages, ascending
 * @param at milliseconds since the epoch
 */
export async function recordMessageMoveProgress(tx: Tx, id: number, ids: readonly number[], at: number): Promise<void> {
  await tx.query(
    `UPDATE message_moves SET last_message_id = $2, moved_count = moved_count + $3, advanced_at = $4, failures = 0
     WHERE id = $1`,
    [id, ids.at(-1), ids.length, new Date(at)],
  );
}

/** Deletes the row of a completed move of messages. */
export async function removeStoredMove(tx: Tx, id: number): Promise<void> {
  await tx.query('DELETE FROM message_moves WHERE id = $1', [id]);
}

/**
 * Time without progress after which a stored move is considered abandoned, in seconds. The time doubles with each
 * failure.
 */
const moveIdleSecondsUntilAbandoned = 10;

/**
 * Number of failures after which a stored move of messages is given up. This number is reached about 3 hours after the
 * first failure.
 */
const maxMoveFailures = 10;

/**
 * Returns the ids of stored moves without progress for too long.
 *
 * @param at milliseconds since the epoch
 */
export async function listStalledMoves(tx: Tx, at: number): Promise<number[]> {
  const { rows } = await tx.query<{ id: number }>(
    `SELECT id FROM message_moves WHERE advanced_at + ${moveIdleSecondsUntilAbandoned} * 2 ^ failures * interval '1 second' < $1 ORDER BY id`,
    [new Date(at)],
  );
  return rows.map(({ id }) => id);
}

/** Number and consequences of a stored move's failures since its last progress. */
export interface MoveFailures {
  readonly failures: number;
  /** Number of messages that the move has moved so far. */
  readonly moved: number;
  /** True if the stored move has failed so often that the move must be given up. */
  readonly areTooMany: boolean;
}

/**
 * Counts a failed attempt to continue a move of messages.
 *
 * @param at current time in milliseconds since the epoch
 */
export async function recordMoveFailure(tx: Tx, id: number, at: number): Promise<MoveFailures> {
  const { rows } = await tx.query<{ failures: number; moved: number }>(
    `UPDATE message_moves SET failures = failures + 1, advanced_at = $2 WHERE id = $1
     RETURNING failures, moved_count AS moved`,
    [id, new Date(at)],
  );
  const { failures, moved } = rows[0] ?? { failures: 0, moved: 0 };
  return { failures, moved, areTooMany: failures >= maxMoveFailures };
}

/**
 * Deletes the row of a stored move of messages that has failed too often. Messages that were already moved remain in
 * their new topic.
 *
 * @returns false if the move is completed, or has progressed in another process
 */
export async function removeFailedMove(tx: Tx, id: number): Promise<boolean> {
  const { rowCount } = await tx.query('DELETE FROM message_moves WHERE id = $1 AND failures >= $2', [
    id,
    maxMoveFailures,
  ]);
  return rowCount > 0;
}
