import type { Database } from '@switchboard/database';
import type { MessageBatchBounds, MessageBatchSize } from '../../core/message-access/index.js';
import { type EmptyTopicRange, findEmptyTopicRange } from '../../core/messages/index.js';
import { findMovedBatch, type MovableMessageSelection, type ActorMovingMessages } from './move-messages.repository.js';
import type { StoredMessageMove } from './stored-message-moves.repository.js';

/**
 * Data about the next batch of messages to move. The data were read without a lock, while users could still send
 * messages.
 */
export interface PreparedMessageMoveBatch {
  /** Maximum batch size that was used when the batch was searched. */
  readonly size: MessageBatchSize;
  /** Smallest and largest message ids of the batch; null if the move has fewer remaining messages than a full batch. */
  readonly found: MessageBatchBounds | null;
  /**
   * Range of message ids in which the old topic contains no messages; null unless this batch is the last batch of the
   * move.
   */
  readonly empty: EmptyTopicRange | null;
}

/**
 * Reads data about the next batch of messages to move, without a lock. The later transaction with locks then needs to
 * read little.
 */
export async function prepareMoveBatch(
  database: Database,
  move: StoredMessageMove,
  size: MessageBatchSize,
): Promise<PreparedMessageMoveBatch> {
  const { fromRecipientId, fromChannelId, fromTopicKey, lastMessageId } = move;
  if (fromRecipientId === null) return { size, found: null, empty: null };
  const changesChannel = fromChannelId !== move.toChannelId;
  const found = await findMovedBatch(
    database,
    readActorOfStoredMove(move),
    getRemainingMessagesOfMove(move, fromRecipientId),
    {
      countsRecipients: changesChannel || !move.fromSharesHistory,
      size,
    },
  );
  if (found !== null || lastMessageId === 0) return { size, found, empty: null };
  // New messages have larger ids than the last moved message, so this range can only lose messages.
  const moved = { from: 0, to: lastMessageId };
  return { size, found, empty: await findEmptyTopicRange(database, fromChannelId, fromTopicKey, moved) };
}

/** Data about the batch that follows a prepared batch. The data are read while the prepared batch is moved. */
export interface FollowingBatch {
  /**
   * Expected state of the move after the first of two batches, on which the preparation of the second batch is based.
   */
  readonly expected: StoredMessageMove;
  readonly batch: PreparedMessageMoveBatch;
}

/**
 * Prepares the batch that follows a prepared batch. Returns null if no batch follows or if reading fails. In both cases
 * the next batch is prepared again after the first batch was moved.
 */
export async function prepareFollowingBatch(
  database: Database,
  move: StoredMessageMove,
  { found }: PreparedMessageMoveBatch,
  size: MessageBatchSize,
): Promise<FollowingBatch | null> {
  if (found === null) return null;
  const expected = { ...move, lastMessageId: found.last };
  const batch = await prepareMoveBatch(database, expected, size).catch(() => null);
  return batch === null || batch.found === null ? null : { expected, batch };
}

/** Returns true if two states of a stored move have the same remaining messages. */
export function hasSameRemainingMessages(one: StoredMessageMove, other: StoredMessageMove): boolean {
  return one.lastMessageId === other.lastMessageId && one.fromSharesHistory === other.fromSharesHistory;
}

/** Returns the user for whom a stored move of messages is executed. */
export function readActorOfStoredMove({ actorId, realmId, actorRole }: StoredMessageMove): ActorMovingMessages {
  return { id: actorId, realmId, role: actorRole };
}

/** Returns the selection of the messages that a stored move has not moved yet. */
export function getRemainingMessagesOfMove(move: StoredMessageMove, recipientId: number): MovableMessageSelection {
  const { propagateMode: mode, messageId: id, fromTopicKey: topicKey, lastMessageId: after } = move;
  return { mode, id, recipientId, topicKey, after };
}
