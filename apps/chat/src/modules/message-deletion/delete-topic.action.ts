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
import { accessibleMessages, messageTopic, SqlParameters } from '../messages/index.js';
import { deleteMessages } from './delete-messages.js';
import type { TopicMessages } from './remove-messages.repository.js';

/** How many messages go in one transaction. */
const batchSize = 500;

/** Deletes a topic, newest messages first, a batch a transaction (chat.md 4.12, chat-contract 5.8). */
@Injectable()
export class DeleteTopic {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CHAT_CONFIG) private readonly config: Pick<ChatConfig, 'BULK_CHANGE_BUDGET_MS'>,
    private readonly events: ChatEvents,
  ) {}

  /**
   * @returns `complete` false when time ran out and messages are left: the request is to be repeated
   * @throws AppError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL
   */
  async run(actor: ChatActor, channelId: number, topicName: string): Promise<{ complete: boolean }> {
    const deadline = this.clock.now() + this.config.BULK_CHANGE_BUDGET_MS;
    const topic = messageTopic(topicName);
    for (;;) {
      const deleted = await this.database.inTransaction((tx) => this.#deleteBatch(tx, actor, channelId, topic));
      if (deleted < batchSize) return { complete: true };
      if (this.clock.now() >= deadline) return { complete: false };
    }
  }

  async #deleteBatch(tx: Tx, actor: ChatActor, channelId: number, topic: string): Promise<number> {
    const { realmId } = actor;
    await lockPopulation(tx, realmId, 'shared');
    const rights = await getRights(tx, actor);
    const [channel] = await lockChannels(tx, realmId, { ids: [channelId] }, 'settings');
    if (!rights.isAdmin && !holdsDeletion(rights, channel)) throw chatErrors.create('UNAUTHORIZED_PRINCIPAL');
    if (channel === undefined || !(await mayRead(tx, actor, rights, channel))) throw badRequest('Invalid channel ID');
    const topics = await listNewest(tx, actor, channel, topic);
    if (topics.length > 0) await deleteMessages(tx, this.events, { realmId, channel, topics });
    return topics.reduce((sum, { messageIds }) => sum + messageIds.length, 0);
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

/** The newest messages of a topic that the actor may read, ascending, by the topic as each of them has it. */
async function listNewest(tx: Tx, actor: ChatActor, channel: LockedChannel, topic: string): Promise<TopicMessages[]> {
  const sql = new SqlParameters();
  const { from, where } = accessibleMessages(actor, sql);
  const { rows } = await tx.query<{ id: number; topic: string }>(
    `WITH newest AS MATERIALIZED (
       SELECT m.id FROM ${from}
       WHERE ${where} AND m.recipient_id = ${sql.add(channel.recipient_id)} AND m.topic_key = ${sql.add(textKey(topic))}
       ORDER BY m.id DESC LIMIT ${batchSize})
     SELECT m.id, m.topic FROM messages m JOIN newest ON newest.id = m.id ORDER BY m.id FOR UPDATE OF m`,
    sql.values,
  );
  const byTopic = new Map<string, number[]>();
  for (const row of rows) {
    const ids = byTopic.get(row.topic) ?? [];
    ids.push(row.id);
    byTopic.set(row.topic, ids);
  }
  return [...byTopic].map(([stored, messageIds]) => ({ topic: stored, messageIds }));
}
