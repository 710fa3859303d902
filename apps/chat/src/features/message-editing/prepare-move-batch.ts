import type { Database } from '@switchboard/database';
import type { MessageBatchBounds, MessageBatchSize } from '../../core/message-access/index.js';
import { type EmptyTopicRange, findEmptyTopicRange } from '../../core/messages/index.js';
import { findMovedBatch, type MovableMessages, type ActorMovingMessages } from './move-messages.repository.js';
import type { StoredMove } from './stored-message-moves.repository.js';

/** Data about the next batch of messages to move, read without a lock while senders continue. */
export interface PreparedBatch {
  /** Maximum size with which the batch was found. */
  readonly size: MessageBatchSize;
  /** Smallest and largest message ids of the batch; null if fewer messages than a full batch are left. */
  readonly found: MessageBatchBounds | null;
  /** Range of message ids in which the old topic has no messages; null unless this is the last batch. */
  readonly empty: EmptyTopicRange | null;
}

/** Reads the next batch of messages to move without a lock, so that the later transaction with locks reads little. */
export async function prepareMoveBatch(
  database: Database,
  move: StoredMove,
  size: MessageBatchSize,
): Promise<PreparedBatch> {
  const { fromRecipientId, fromChannelId, fromTopicKey, lastMessageId } = move;
  if (fromRecipientId === null) return { size, found: null, empty: null };
  const changesChannel = fromChannelId !== move.toChannelId;
  const found = await findMovedBatch(database, readActorOfMove(move), getRemainingMessages(move, fromRecipientId), {
    countsRecipients: changesChannel || !move.fromSharesHistory,
    size,
  });
  if (found !== null || lastMessageId === 0) return { size, found, empty: null };
  // No message is sent with an id up to that of the last moved message, so this range can only become empty.
  const moved = { from: 0, to: lastMessageId };
  return { size, found, empty: await findEmptyTopicRange(database, fromChannelId, fromTopicKey, moved) };
}

/** The batch after a prepared batch, which is prepared while that batch is moved. */
export interface FollowingBatch {
  /** State of the move after the first batch, as known when the second batch was prepared. */
  readonly expected: StoredMove;
  readonly batch: PreparedBatch;
}

/**
 * Prepares the batch after a prepared one. Returns null if no batch follows or if reading fails; in both cases the
 * batch is prepared again when the first one is moved.
 */
export async function prepareFollowingBatch(
  database: Database,
  move: StoredMove,
  { found }: PreparedBatch,
  size: MessageBatchSize,
): Promise<FollowingBatch | null> {
  if (found === null) return null;
  const expected = { ...move, lastMessageId: found.last };
  const batch = await prepareMoveBatch(database, expected, size).catch(() => null);
  return batch === null || batch.found === null ? null : { expected, batch };
}

/** Returns true if the remaining messages of a stored move are the same in both states. */
export function hasSameRemainingMessages(one: StoredMove, other: StoredMove): boolean {
  return one.lastMessageId === other.lastMessageId && one.fromSharesHistory === other.fromSharesHistory;
}

/** Returns the user on whose behalf a stored move is done. */
export function readActorOfMove({ actorId, realmId, actorRole }: StoredMove): ActorMovingMessages {
  return { id: actorId, realmId, role: actorRole };
}

/** Returns the remaining messages of a stored move. */
export function getRemainingMessages(move: StoredMove, recipientId: number): MovableMessages {
  const { propagateMode: mode, messageId: id, fromTopicKey: topicKey, lastMessageId: after } = move;
  return { mode, id, recipientId, topicKey, after };
}
