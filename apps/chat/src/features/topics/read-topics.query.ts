import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError } from '../../errors.js';
import type { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { listChannels } from '../../core/channels/index.js';
import { emptyTopicName } from '../../events/empty-topic-name.js';
import { PackedTopicList, writeTopicsJson } from './packed-topic-list.js';
import { TopicListCache } from './topic-list-cache.js';
import { listTopicsWithReceivedMessages, type TopicShownToUser } from './topics.repository.js';

/** Reads the topics of a channel whose messages the actor can read (docs/contract/chat.md 2.E and 5.3). */
@Injectable()
export class ReadTopics {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly lists: TopicListCache,
  ) {}

  /**
   * Lists the topics of a channel.
   *
   * @throws ApplicationError BAD_REQUEST for a channel that the actor may not read
   */
  async listChannelTopics(
    actor: ChatActor,
    channelId: number,
    knowsEmptyTopic: boolean,
  ): Promise<{ topics: JsonBytes }> {
    const emptyName = knowsEmptyTopic ? '' : emptyTopicName;
    const topics = await this.database.inTransaction((tx) => this.#read(tx, actor, channelId), {
      isolation: 'repeatable read',
    });
    return {
      topics:
        topics instanceof PackedTopicList ? await topics.toJson(emptyName) : await writeTopicsJson(topics, emptyName),
    };
  }

  /**
   * Checks the actor's access to a channel and reads the channel's topics, both in one database snapshot. A user who
   * lost access therefore sees no newer topics.
   */
  async #read(tx: Tx, actor: ChatActor, channelId: number): Promise<PackedTopicList | readonly TopicShownToUser[]> {
    const [channel] = await listChannels(tx, actor, { channelIds: [channelId] });
    if (channel === undefined || !channel.content_readable) throw createBadRequestError('Invalid channel ID');
    if (channel.history_public_to_subscribers) return this.lists.listChannelTopics(tx, channelId);
    return listTopicsWithReceivedMessages(tx, channelId, actor.id);
  }
}
