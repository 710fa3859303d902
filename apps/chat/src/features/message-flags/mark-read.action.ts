import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { type ChatActor, isGuest } from '../../infra/http/chat-actor.js';
import { isChannelReadableSql } from '../../core/access/channel-access.js';
import type { ChatConfig } from '../../config.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { CHAT_CONFIG_TOKEN, CLOCK_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import {
  selectAccessibleMessageClauses,
  normalizeMessageTopic,
  NumberedSqlParameters,
  topicIdSql,
} from '../../core/messages/index.js';
import { markOldestUnreadMessagesRead, type UnreadMessagesToMark } from './mark-read.repository.js';
import { flagsAddEvent } from './message-flags.events.js';

/** Maximum number of messages that one transaction marks as read. */
const markReadBatchSize = 5000;

/**
 * Marks all messages, the messages of one channel, or the messages of one topic as read for one user
 * (docs/contract/chat.md 2.C, chat-4.15).
 */
@Injectable()
export class MarkMessagesRead {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CLOCK_TOKEN) private readonly clock: Clock,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: Pick<ChatConfig, 'BULK_CHANGE_BUDGET_MS'>,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Marks all messages of the actor as read, in batches.
   *
   * @returns an object whose field `complete` is false if the time limit ended before all messages were marked
   */
  async markAllRead(actor: ChatActor): Promise<{ complete: boolean }> {
    return { complete: await this.#markInBatches(actor, { recipientId: null, topicKey: null }) };
  }

  /**
   * Marks the messages of a channel as read for the actor.
   *
   * @throws ApplicationError BAD_REQUEST for a channel that the actor may not read
   */
  async markChannelRead(actor: ChatActor, channelId: number): Promise<{ complete: boolean }> {
    const recipientId = await this.#getChannelRecipientId(actor, channelId);
    return { complete: await this.#markInBatches(actor, { recipientId, topicKey: null }) };
  }

  /**
   * Marks the messages of a topic as read for the actor.
   *
   * @throws ApplicationError BAD_REQUEST for a channel that the actor may not read, or a topic that does not exist
   */
  async markTopicRead(actor: ChatActor, channelId: number, topicName: string): Promise<{ complete: boolean }> {
    const recipientId = await this.#getChannelRecipientId(actor, channelId);
    const topicKey = normalizeTextForComparison(normalizeMessageTopic(topicName));
    await this.#requireTopic(actor, { recipientId, topicKey }, topicName);
    return { complete: await this.#markInBatches(actor, { recipientId, topicKey }) };
  }

  async #markInBatches(actor: ChatActor, scope: UnreadMessagesToMark): Promise<boolean> {
    const deadline = this.clock.now() + this.config.BULK_CHANGE_BUDGET_MS;
    let after = 0;
    for (;;) {
      const part = { after, most: markReadBatchSize };
      const last = await this.database.inTransaction(async (tx) => {
        const { messageIds, last: mayFollow } = await markOldestUnreadMessagesRead(tx, actor.id, scope, part);
        if (messageIds.length > 0) {
          const payload = { flag: 'read' as const, messageIds };
          this.events.write(tx, actor.realmId, flagsAddEvent, { audience: { users: [actor.id] }, payload });
        }
        return mayFollow;
      });
      if (last === null) return true;
      after = last;
      if (this.clock.now() >= deadline) return false;
    }
  }

  async #getChannelRecipientId(actor: ChatActor, channelId: number): Promise<number> {
    const { rows } = await this.database.query<{ id: number }>(
      `SELECT r.id FROM channels c JOIN recipients r ON r.channel_id = c.id
       LEFT JOIN subscriptions s ON s.channel_id = c.id AND s.user_id = $1 AND s.is_active
       WHERE c.id = $4::bigint AND c.realm_id = $3 AND ${isChannelReadableSql({ actor: '$1', isGuest: '$2' })}`,
      [actor.id, isGuest(actor), actor.realmId, channelId],
    );
    const [row] = rows;
    if (row === undefined) throw createBadRequestError('Invalid channel ID');
    return row.id;
  }

  async #requireTopic(
    actor: ChatActor,
    scope: { readonly recipientId: number; readonly topicKey: string },
    topicName: string,
  ): Promise<void> {
    const sql = new NumberedSqlParameters();
    const { from, where } = selectAccessibleMessageClauses(actor, sql);
    const { rowCount } = await this.database.query(
      `SELECT 1 FROM ${from} WHERE ${where} AND m.topic_id = ${topicIdSql(sql.addValue(scope.recipientId), sql.addValue(scope.topicKey))} LIMIT 1`,
      sql.values,
    );
    if (rowCount === 0) throw createBadRequestError(`No such topic '${topicName}'`);
  }
}
