import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import { ReadChannels } from '../channels/index.js';
import { serverLimitSnapshotFields } from '../realms/index.js';
import { parseRequestedTopicName } from '../../events/empty-topic-name.js';
import { changeUserTopics } from './change-user-topics.js';
import { countMutedTopics, type UserTopicPolicy } from './user-topics.repository.js';
import type { muteTopicParameters, setUserTopicParameters } from './user-topics.schemas.js';
import { lockUserTopics } from '../database-locks.js';

const maxStoredTopicLength = serverLimitSnapshotFields.max_topic_length;

/**
 * Sets a user's visibility policy for a topic of a visible channel (docs/contract/chat.md 8.11). The topic need not
 * exist.
 */
@Injectable()
export class SetUserTopicPolicy {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly channels: ReadChannels,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Sets the actor's visibility policy for a topic of a channel.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  async run(actor: ChatActor, parameters: DecodedParametersOfDefinition<typeof setUserTopicParameters>): Promise<void> {
    await this.channels.get(actor, parameters.stream_id);
    const topic = toStoredTopic(parameters.topic);
    await this.#set(actor, { channelId: parameters.stream_id, topic, policy: parameters.visibility_policy });
  }

  /**
   * Mutes or unmutes a topic. Handles the older endpoint (chat-4.4-2).
   *
   * @throws ApplicationError BAD_REQUEST and others
   */
  async muteOrUnmuteTopic(
    actor: ChatActor,
    parameters: DecodedParametersOfDefinition<typeof muteTopicParameters>,
  ): Promise<void> {
    const channelId = await this.#channelId(actor, parameters.stream_id, parameters.stream);
    const policy = parameters.op === 'add' ? 1 : 0;
    await this.#set(actor, { channelId, topic: toStoredTopic(parameters.topic), policy });
  }

  async #channelId(actor: ChatActor, id: number | undefined, name: string | undefined): Promise<number> {
    if (id !== undefined && name !== undefined) {
      const fields = { var_name1: 'stream_id', var_name2: 'stream' };
      throw chatErrors.create('REQUEST_CONFUSING_VAR', { params: fields, fields });
    }
    if (id !== undefined) return (await this.channels.get(actor, id)).stream.stream_id;
    if (name !== undefined) return (await this.channels.getChannelIdByName(actor, name)).stream_id;
    const fields = { var_name: 'stream_id' };
    throw chatErrors.create('REQUEST_VARIABLE_MISSING', { params: fields, fields });
  }

  #set(actor: ChatActor, requested: UserTopicPolicy): Promise<void> {
    return this.database.inTransaction(async (tx) => {
      if (requested.policy === 1) await checkMutedTopicLimit(tx, actor.id);
      await changeUserTopics(tx, this.events, actor.realmId, [{ ...requested, userId: actor.id }]);
    });
  }
}

/**
 * Maximum number of topics that a user can mute. After each change, older clients receive the complete list of muted
 * topics.
 */
const maxMutedTopicsPerUser = 3_000;

/**
 * Checks that the user may mute one more topic.
 *
 * @throws ApplicationError BAD_REQUEST for a user with the maximum number of muted topics
 */
async function checkMutedTopicLimit(tx: Tx, userId: number): Promise<void> {
  await lockUserTopics(tx, [userId]);
  if ((await countMutedTopics(tx, userId)) < maxMutedTopicsPerUser) return;
  throw createBadRequestError(`You have muted too many topics (limit: ${maxMutedTopicsPerUser}).`);
}

/**
 * Returns a topic in its stored form, without leading and trailing blanks. Returns an empty topic if the client sent
 * the display name of the empty topic.
 *
 * @throws ApplicationError BAD_REQUEST
 */
function toStoredTopic(sent: string): string {
  const topic = sent.trim();
  if ([...topic].length > maxStoredTopicLength)
    throw createBadRequestError(`topic is too long (limit: ${maxStoredTopicLength} characters)`);
  return parseRequestedTopicName(topic);
}
