import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import type { ChatActor } from '../../infra/http/actor.js';
import { type ActorRights, getRights } from '../../core/access/actor-rights.js';
import { lockPopulation } from '../../core/access/population-lock.js';
import type { ChatConfig } from '../../config.js';
import { badRequest, chatErrors } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import { CHAT_CONFIG, CLOCK, DATABASE } from '../../tokens.js';
import { ChannelRights, lockChannels, type LockedChannel } from '../../core/channels/index.js';
import { MessageReaders } from '../../core/message-access/index.js';
import { messageTopic } from '../../core/messages/index.js';
import { byTopic } from './by-topic.js';
import { deleteMessages } from './delete-messages.js';
import { lockNewest, type TopicPart } from './newest-messages.repository.js';

/** Larger than any id of a message. */
const allIds = Number.MAX_SAFE_INTEGER;

/** Deletes a topic, newest messages first, a batch a transaction (chat-4.12, docs/contract/chat.md 5.8). */
@Injectable()
export class DeleteTopic {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CHAT_CONFIG) private readonly config: Pick<ChatConfig, 'BULK_CHANGE_BUDGET_MS'>,
    readonly events: ChatEvents,
    readonly readers: MessageReaders,
  ) {}

  /**
   * @returns `complete` false when time ran out and messages are left: the request is to be repeated
   * @throws AppError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
   */
  async run(actor: ChatActor, channelId: number, topicName: string): Promise<{ complete: boolean }> {
    const deadline = this.clock.now() + this.config.BULK_CHANGE_BUDGET_MS;
    const topic = messageTopic(topicName);
    let before = allIds;
    for (;;) {
      const part = { topic, before };
      const oldest = await this.database.inTransaction((tx) => this.#deleteBatch(tx, actor, channelId, part));
      // Newer messages may have been sent meanwhile.
      if (oldest === null && before === allIds) return { complete: true };
      before = oldest ?? allIds;
      if (this.clock.now() >= deadline) return { complete: false };
    }
  }

  /** @returns the id of the oldest message that was deleted; null if no more are left below it */
  async #deleteBatch(tx: Tx, actor: ChatActor, channelId: number, part: TopicPart): Promise<number | null> {
    const { realmId } = actor;
    await lockPopulation(tx, realmId, 'shared');
    const rights = await getRights(tx, actor);
    const [channel] = await lockChannels(tx, realmId, { ids: [channelId] }, 'settings');
    if (!rights.isAdmin && !holdsDeletion(rights, channel)) throw chatErrors.create('UNAUTHORIZED_PRINCIPAL');
    if (channel === undefined || !(await mayRead(tx, actor, rights, channel))) throw badRequest('Invalid channel ID');
    const newest = await lockNewest(tx, actor, channel, part);
    const [first] = newest;
    if (first === undefined) return null;
    await deleteMessages(tx, this, { realmId, channel, topics: byTopic(newest) });
    return first.isFull ? first.id : null;
  }
}

function holdsDeletion(rights: ActorRights, channel: LockedChannel | undefined): boolean {
  if (rights.may('can_delete_any_message_group')) return true;
  return channel !== undefined && new ChannelRights(channel, rights, false).holds('can_delete_any_message_group');
}

async function mayRead(tx: Tx, actor: ChatActor, rights: ActorRights, channel: LockedChannel): Promise<boolean> {
  const { rowCount } = await tx.query(
    'SELECT 1 FROM subscriptions WHERE user_id = $1 AND channel_id = $2 AND is_active',
    [actor.id, channel.id],
  );
  return new ChannelRights(channel, rights, rowCount > 0).mayRead;
}
