import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/actor.js';
import { badRequest } from '../../errors.js';
import { JsonBytes } from '../../infra/http/json-bytes.js';
import { DATABASE } from '../../tokens.js';
import { listChannels } from '../../core/channels/index.js';
import { emptyTopicName } from '../../events/empty-topic.js';
import { TopicLists } from './topic-lists.js';
import { listReceivedTopics } from './topics.repository.js';

/** Reads the topics of a channel whose messages the actor can read (docs/contract/chat.md 2.E and 5.3). */
@Injectable()
export class ReadTopics {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly lists: TopicLists,
  ) {}

  /**
   * Lists the topics of a channel.
   *
   * @throws AppError BAD_REQUEST for a channel that the actor may not read
   */
  async list(actor: ChatActor, channelId: number, knowsEmptyTopic: boolean): Promise<{ topics: JsonBytes }> {
    const [channel] = await listChannels(this.database, actor, { channelIds: [channelId] });
    if (channel === undefined || !channel.content_readable) throw badRequest('Invalid channel ID');
    const emptyName = knowsEmptyTopic ? '' : emptyTopicName;
    if (channel.history_public_to_subscribers) {
      const list = await this.database.inTransaction((tx) => this.lists.list(tx, channelId), {
        isolation: 'repeatable read',
      });
      return { topics: list.toJson(emptyName) };
    }
    const rows = await listReceivedTopics(this.database, channelId, actor.id);
    const topics = rows.map((row) => (row.name === '' ? { ...row, name: emptyName } : row));
    return { topics: JsonBytes.of(JSON.stringify(topics)) };
  }
}
