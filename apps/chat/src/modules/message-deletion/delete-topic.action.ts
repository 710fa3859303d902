import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import type { ChatActor } from '../../access/actor.js';
import { type ActorRights, getRights } from '../../access/actor-rights.js';
import { lockPopulation } from '../../access/population-lock.js';
import type { ChatConfig } from '../../config.js';
import { badRequest, chatErrors } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import { textKey } from '../../text-key.js';
import { CHAT_CONFIG, CLOCK, DATABASE } from '../../tokens.js';
import { ChannelRights, lockChannels, type LockedChannel } from '../channels/index.js';
import { type BatchMessage, batchRows, lockBatchSql, MessageReaders } from '../message-access/index.js';
import { accessibleMessages, messageTopic, oneTopic, SqlParameters, topicId } from '../messages/index.js';
import { byTopic } from './by-topic.js';
import { deleteMessages } from './delete-messages.js';

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
    for (;;) {
      const isFull = await this.database.inTransaction((tx) => this.#deleteBatch(tx, actor, channelId, topic));
      if (!isFull) return { complete: true };
      if (this.clock.now() >= deadline) return { complete: false };
    }
  }

  /** @returns true if messages may be left */
  async #deleteBatch(tx: Tx, actor: ChatActor, channelId: number, topic: string): Promise<boolean> {
    const { realmId } = actor;
    await lockPopulation(tx, realmId, 'shared');
    const rights = await getRights(tx, actor);
    const [channel] = await lockChannels(tx, realmId, { ids: [channelId] }, 'settings');
    if (!rights.isAdmin && !holdsDeletion(rights, channel)) throw chatErrors.create('UNAUTHORIZED_PRINCIPAL');
    if (channel === undefined || !(await mayRead(tx, actor, rights, channel))) throw badRequest('Invalid channel ID');
    const newest = await lockNewest(tx, actor, channel, topic);
    const [first] = newest;
    if (first === undefined) return false;
    await deleteMessages(tx, this, { realmId, channel, topics: byTopic(newest) });
    return first.isFull;
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

/** Locks the newest messages of a topic that the actor may read, as many as one transaction deletes. */
async function lockNewest(tx: Tx, actor: ChatActor, channel: LockedChannel, topic: string): Promise<BatchMessage[]> {
  const sql = new SqlParameters();
  const { from, where } = accessibleMessages(actor, sql);
  const select = `SELECT m.id FROM ${from}
    WHERE ${where} AND ${oneTopic(topicId(sql.add(channel.recipient_id), sql.add(textKey(topic))))}`;
  const statement = lockBatchSql({ select, order: 'DESC', before: 'm.topic_id', rows: String(batchRows) });
  return (await tx.query<BatchMessage>(statement, sql.values)).rows;
}
