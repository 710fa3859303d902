import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { type ActorRights, loadActorRights } from '../../core/access/actor-rights.js';
import type { ChatConfig } from '../../config.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { CHAT_CONFIG_TOKEN, CLOCK_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import { ChannelRights, lockChannels, type LockedChannel } from '../../core/channels/index.js';
import {
  type MessageBatchBounds,
  AdaptiveMessageBatchSize,
  type MessageBatchSize,
  MessageReaders,
} from '../../core/message-access/index.js';
import {
  type EmptyTopicRange,
  findEmptyTopicRange,
  isTopicStillEmpty,
  normalizeMessageTopic,
} from '../../core/messages/index.js';
import { groupMessagesByTopic } from './group-messages-by-topic.js';
import { deleteMessages } from './delete-messages.js';
import {
  findNewestTopicMessageRange,
  lockNewestTopicMessages,
  type RemainingTopicMessages,
} from './lock-newest-messages.repository.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** A number that is greater than the ids of all messages. */
const idAboveAllMessageIds = Number.MAX_SAFE_INTEGER;

/** The smallest and the largest id of the messages that were deleted. */
interface DeletedMessageIdRange {
  readonly first: number;
  readonly last: number;
}

interface DeletedMessageBatch extends DeletedMessageIdRange {
  /** True if the topic may contain further messages that are older than the deleted messages. */
  readonly isFull: boolean;
}

interface PreparedTopicDeletionBatch {
  readonly part: RemainingTopicMessages;
  readonly size: MessageBatchSize;
  /**
   * Smallest and largest message ids of the next batch to delete. Null if the topic has fewer messages than a full
   * batch.
   */
  readonly found: MessageBatchBounds | null;
  /**
   * Range of message ids in which the topic contains no messages; null unless this batch is the last batch of the
   * deletion.
   */
  readonly empty: EmptyTopicRange | null;
  readonly pace: AdaptiveMessageBatchSize;
}

/**
 * Deletes all messages of a topic in batches, newest messages first (chat-4.12, docs/contract/chat.md 5.8). One
 * transaction deletes one batch.
 */
@Injectable()
export class DeleteTopic {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: Pick<ChatConfig, 'BULK_CHANGE_BUDGET_MS'>,
    readonly events: ChatEventWriter,
    readonly readers: MessageReaders,
  ) {}

  /**
   * Deletes the messages of a topic.
   *
   * @returns an object whose field `complete` is false if the time limit ended before all messages were deleted; the
   * client then repeats the request
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
   */
  async run(actor: ChatActor, channelId: number, topicName: string): Promise<{ complete: boolean }> {
    const deadline = this.clock.now() + this.config.BULK_CHANGE_BUDGET_MS;
    const topic = normalizeMessageTopic(topicName);
    const pace = new AdaptiveMessageBatchSize(this.clock);
    let deleted = null as DeletedMessageIdRange | null;
    for (;;) {
      const part: RemainingTopicMessages = { channelId, topic, before: deleted?.first ?? idAboveAllMessageIds };
      const { size } = pace;
      const found = await findNewestTopicMessageRange(this.database, actor, part, size);
      const empty: EmptyTopicRange | null = found === null ? await this.#findDeleted(part, deleted) : null;
      const batch = { part, size, found, empty, pace };
      const done: DeletedMessageBatch = await this.database.inTransaction((tx) => this.#deleteBatch(tx, actor, batch));
      pace.adaptSizeAfterCommit(done.isFull);
      // Newer messages may have been sent meanwhile.
      if (!done.isFull && deleted === null) return { complete: true };
      deleted = done.isFull ? { first: done.first, last: deleted?.last ?? done.last } : null;
      if (this.clock.now() >= deadline) return { complete: false };
    }
  }

  /**
   * Returns the range of the deleted message ids if the topic contains no messages in this range, otherwise null. Takes
   * no lock.
   */
  async #findDeleted(
    { channelId, topic }: RemainingTopicMessages,
    deleted: DeletedMessageIdRange | null,
  ): Promise<EmptyTopicRange | null> {
    if (deleted === null) return null;
    return findEmptyTopicRange(this.database, channelId, normalizeTextForComparison(topic), {
      from: deleted.first,
      to: deleted.last,
    });
  }

  async #deleteBatch(
    tx: Tx,
    actor: ChatActor,
    { part, size, found, empty, pace }: PreparedTopicDeletionBatch,
  ): Promise<DeletedMessageBatch> {
    const { realmId } = actor;
    const { channelId } = part;
    await lockRealmMembership(tx, realmId, 'shared');
    const rights = await loadActorRights(tx, actor);
    const [channel] = await lockChannels(tx, realmId, { ids: [channelId] }, 'settings');
    pace.recordLockTime();
    if (!rights.isAdmin && !canDeleteTopic(rights, channel)) throw chatErrors.create('UNAUTHORIZED_PRINCIPAL');
    if (channel === undefined || !(await canReadChannel(tx, actor, rights, channel)))
      throw createBadRequestError('Invalid channel ID');
    const { messages, isFull } = await lockNewestTopicMessages(tx, actor, part, { size, found });
    const stillEmpty = empty !== null && (await isTopicStillEmpty(tx, empty)) ? empty : null;
    if (messages.length > 0) {
      const topics = groupMessagesByTopic(messages);
      const recipientId = channel.recipient_id;
      await deleteMessages(tx, this, { realmId, channel, recipientId, topics, empty: stillEmpty });
    }
    const first = found?.first ?? messages[0]?.id ?? part.before;
    return { first, last: messages.at(-1)?.id ?? first, isFull };
  }
}

function canDeleteTopic(rights: ActorRights, channel: LockedChannel | undefined): boolean {
  if (rights.hasRealmPermission('can_delete_any_message_group')) return true;
  return (
    channel !== undefined && new ChannelRights(channel, rights, false).hasPermission('can_delete_any_message_group')
  );
}

async function canReadChannel(tx: Tx, actor: ChatActor, rights: ActorRights, channel: LockedChannel): Promise<boolean> {
  const { rowCount } = await tx.query(
    'SELECT 1 FROM subscriptions WHERE user_id = $1 AND channel_id = $2 AND is_active',
    [actor.id, channel.id],
  );
  return new ChannelRights(channel, rights, rowCount > 0).canReadMessages;
}
