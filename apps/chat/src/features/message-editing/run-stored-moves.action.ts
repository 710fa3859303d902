import { setTimeout as sleep } from 'node:timers/promises';
import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { ChatEventWriter } from '../../events/chat-events.js';
import { MessageRenderer } from '../../infra/markdown/index.js';
import { runMaintenanceSteps } from '../../infra/run-maintenance-steps.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { CLOCK_TOKEN, DATABASE_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import { lockChannels, type LockedChannel } from '../../core/channels/index.js';
import {
  AdaptiveMessageBatchSize,
  type MessageBatchSize,
  MessageReaders,
  emitChangedFirstMessages,
} from '../../core/message-access/index.js';
import {
  ClientProgramIdCache,
  type EmptyTopicRange,
  internalClientName,
  type NotificationBotDependencies,
} from '../../core/messages/index.js';
import { RealmMarkdownSettingsCache } from '../../core/realm-markdown-settings/index.js';
import {
  emitOldestMessagesOfChannels,
  completeMessageMove,
  type MovedMessageBeforeChange,
  moveMessagesOfPlan,
  type MoveMessagesDependencies,
} from './move-messages.js';
import { lockEmptyTopicRange, listPolicyHoldersWithoutAccess, lockMovedMessages } from './move-messages.repository.js';
import type { MessageMovePlan } from './message-move-plan.js';
import { willMoveChangeUserMessages } from './plan-message-move.js';
import type { MessageMoveEdit } from './write-message-edit.repository.js';
import {
  readActorOfStoredMove,
  type FollowingBatch,
  hasSameRemainingMessages,
  getRemainingMessagesOfMove,
  type PreparedMessageMoveBatch,
  prepareMoveBatch,
  prepareFollowingBatch,
} from './prepare-move-batch.js';
import {
  recordMessageMoveProgress,
  findStoredMove,
  listStalledMoves,
  recordMoveFailure,
  removeFailedMove,
  removeStoredMove,
  type StoredMessageMove,
} from './stored-message-moves.repository.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/**
 * Limits of the largest batch of messages that one transaction moves. The service searches the batch without a lock, so
 * the batch may be larger than other batches.
 */
const maxMessageMoveBatchSize: MessageBatchSize = { messages: 600, rows: 4_800 };

/**
 * Pause between two batches, in milliseconds. During this pause, senders of messages that wait for the channel's lock
 * receive the lock. Without the pause, the next prepared batch would take the lock before a waiting sender continues.
 */
const pauseAfterMoveBatchMs = 10;

/** The source channel and the target channel of a stored move. The transaction has locked both channels. */
interface LockedChannelsOfMove {
  readonly source: LockedChannel;
  readonly target: LockedChannel;
}

/** A prepared batch of messages to move, with the state of the move at the time of the preparation. */
interface NextMoveBatch extends PreparedMessageMoveBatch {
  readonly seen: StoredMessageMove;
  readonly pace: AdaptiveMessageBatchSize;
}

/**
 * Runs stored moves of messages, one batch per transaction. Messages can be sent to the channels between two batches.
 * While a batch is moved, the next batch is prepared. Several processes may run one move concurrently, because each
 * transaction locks the channels and reads the progress of the move again.
 */
@Injectable()
export class RunStoredMoves {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    private readonly events: ChatEventWriter,
    private readonly clients: ClientProgramIdCache,
    private readonly contents: RealmMarkdownSettingsCache,
    private readonly readers: MessageReaders,
  ) {}

  /** Completes a stored move of messages that this process or another process has started. */
  async finishMove(id: number, signal?: AbortSignal): Promise<void> {
    const clientId = await this.clients.getClientId(internalClientName);
    const pace = new AdaptiveMessageBatchSize(this.clock, maxMessageMoveBatchSize);
    let following: FollowingBatch | null = null;
    while (signal?.aborted !== true) {
      const move = await findStoredMove(this.database, id);
      if (move === undefined) return;
      const realm = await this.contents.get(move.realmId);
      const tools = { events: this.events, renderer: this.renderer, realm, readers: this.readers };
      const prepared: PreparedMessageMoveBatch =
        following !== null && hasSameRemainingMessages(following.expected, move)
          ? following.batch
          : await prepareMoveBatch(this.database, move, pace.size);
      const next = { ...prepared, seen: move, pace };
      const preparing = prepareFollowingBatch(this.database, move, prepared, pace.size);
      const isFull = await this.database.inTransaction((tx) => this.#moveBatch(tx, tools, next, clientId));
      pace.adaptSizeAfterCommit(isFull, prepared.size);
      [following] = await Promise.all([preparing, sleep(pauseAfterMoveBatchMs)]);
    }
  }

  /**
   * Completes stored moves of messages that processes left unfinished when they died. If a move fails, the others are
   * still completed. After repeated failures a move is abandoned; until then, its topics cannot be moved again.
   *
   * @throws Error of a move, or AggregateError of several, after all other moves are done
   */
  async finishAbandonedMoves(signal: AbortSignal): Promise<void> {
    const ids = await listStalledMoves(this.database, this.clock.now());
    await runMaintenanceSteps(ids.map((id) => () => this.#finishAbandonedMove(id, signal)));
  }

  async #finishAbandonedMove(id: number, signal: AbortSignal): Promise<void> {
    try {
      await this.finishMove(id, signal);
    } catch (error) {
      const { failures, moved, areTooMany } = await recordMoveFailure(this.database, id, this.clock.now());
      const isGivenUp = areTooMany && (await this.database.inTransaction((tx) => this.#removeFailedMove(tx, id)));
      const outcome = isGivenUp ? `was abandoned after ${failures} failures` : `failed ${failures} times`;
      const description = `Move ${id} of messages ${outcome}; ${moved} messages were moved`;
      throw new Error(`${description}: ${String(error)}`, { cause: error });
    }
  }

  /**
   * Removes a stored move that has failed too often. Emits the oldest message of both channels, which earlier batches
   * may have changed.
   *
   * @returns false if the move has made progress since its last failure; the move is then not removed
   */
  async #removeFailedMove(tx: Tx, id: number): Promise<boolean> {
    const move = await findStoredMove(tx, id);
    if (move === undefined) return false;
    const channels = await lockChannelsOfMove(tx, move);
    if (!(await removeFailedMove(tx, id))) return false;
    if (move.fromChannelId !== move.toChannelId) await emitChangedFirstMessages(tx, this.events, channels, new Map());
    return true;
  }

  /**
   * Moves one batch of messages.
   *
   * @returns true if there may be more messages to move
   */
  async #moveBatch(tx: Tx, tools: MoveMessagesDependencies, next: NextMoveBatch, clientId: number): Promise<boolean> {
    const { seen, pace } = next;
    const channels = await lockRequiredChannelsOfMove(tx, seen);
    pace.recordLockTime();
    // Another process may have moved a batch while this one waited for the lock of the channels.
    const move = await findStoredMove(tx, seen.id);
    if (move === undefined) return false;
    const { source } = channels;
    const changesChannel = move.fromChannelId !== move.toChannelId;
    const { messages, isFull } = await lockMovedMessages(
      tx,
      readActorOfStoredMove(move),
      getRemainingMessagesOfMove(move, source.recipient_id),
      {
        countsRecipients: willMoveChangeUserMessages(source, changesChannel),
        size: next.size,
        found: hasSameRemainingMessages(move, seen) ? next.found : null,
      },
    );
    const empty = await lockEmptyTopicRange(tx, next.empty);
    const ids = messages.map(({ id }) => id);
    const plan = createMovePlan(move, channels, ids);
    const message = {
      id: move.messageId,
      realmId: move.realmId,
      recipientId: source.recipient_id,
      topicKey: move.fromTopicKey,
      channel: source,
    };
    const edit = { editorId: move.actorId, at: move.editedAtMs, content: null, move: plan };
    if (ids.length > 0) await this.#moveIds(tx, tools, message, edit, move);
    if (isFull) return true;
    const moved = { ...move, movedCount: move.movedCount + ids.length };
    await this.#end(tx, tools, message, plan, moved, { clientId, empty });
    await emitOldestMessagesOfChannels(tx, tools.events, plan);
    return false;
  }

  async #moveIds(
    tx: Tx,
    tools: MoveMessagesDependencies,
    message: MovedMessageBeforeChange,
    edit: MessageMoveEdit,
    { id }: StoredMessageMove,
  ): Promise<void> {
    await moveMessagesOfPlan(tx, tools, message, edit);
    await recordMessageMoveProgress(tx, id, edit.move.messageIds, this.clock.now());
  }

  async #end(
    tx: Tx,
    tools: NotificationBotDependencies,
    message: MovedMessageBeforeChange,
    plan: MessageMovePlan,
    move: StoredMessageMove,
    { clientId, empty }: { readonly clientId: number; readonly empty: EmptyTopicRange | null },
  ): Promise<void> {
    const { tellsOldThread, tellsNewThread, movedCount: count } = move;
    const end = { request: { tellsOldThread, tellsNewThread }, clientId, empty, count };
    await completeMessageMove(tx, tools, message, plan, end, () =>
      listPolicyHoldersWithoutAccess(tx, {
        fromChannelId: move.fromChannelId,
        fromTopicKey: move.fromTopicKey,
        toChannelId: move.toChannelId,
        toRecipientId: plan.destination.recipientId,
        toTopicKey: normalizeTextForComparison(plan.topic),
      }),
    );
    await removeStoredMove(tx, move.id);
  }
}

/** Locks the source channel and the target channel of a stored move. Omits a channel that no longer exists. */
async function lockChannelsOfMove(tx: Tx, move: StoredMessageMove): Promise<LockedChannel[]> {
  if (move.fromChannelId !== move.toChannelId) await lockRealmMembership(tx, move.realmId, 'shared');
  const ids = [move.fromChannelId, move.toChannelId];
  return lockChannels(tx, move.realmId, { ids }, 'settings');
}

async function lockRequiredChannelsOfMove(tx: Tx, move: StoredMessageMove): Promise<LockedChannelsOfMove> {
  const channels = await lockChannelsOfMove(tx, move);
  const source = channels.find(({ id }) => id === move.fromChannelId);
  const target = channels.find(({ id }) => id === move.toChannelId);
  if (source === undefined || target === undefined) throw new Error('The channel of a move is missing');
  return { source, target };
}

function createMovePlan(
  move: StoredMessageMove,
  { source, target }: LockedChannelsOfMove,
  messageIds: readonly number[],
): MessageMovePlan {
  return {
    source,
    destination: {
      recipientId: target.recipient_id,
      channel: { id: target.id, name: target.name },
      isPublic: !target.is_private,
      sender: { id: move.actorId, fullName: move.actorName },
    },
    changesChannel: source.id !== target.id,
    topicBefore: move.fromTopic,
    topic: move.toTopic,
    changesTopic: move.toTopic !== move.fromTopic,
    resolution: move.resolution,
    propagateMode: move.propagateMode,
    renaming: null,
    messageIds,
    isFull: true,
  };
}
