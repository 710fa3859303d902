import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { findUsers } from '../../core/access/find-users.js';
import { createBadRequestError } from '../../errors.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import { JsonBytes } from '../../infra/http/json-byte-chunks.js';
import { SnapshotDataCache } from '../../events/snapshot-memory/index.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import {
  allNotificationSettingsInherited,
  createRealmChannelsDataSource,
  createDeactivatedUsersDataSource,
  listChannels,
  listChannelAccess,
  listFrequentlyChangedChannelFields,
  listSubscriberTexts,
  createCurrentChannelTexts,
  createActiveSubscribersDataSource,
  createRealmSubscribersDataSource,
  getChangeableSubscriptionFields,
  appendFieldsToJsonObject,
} from '../../core/channels/index.js';
import { createNoSuchUserError } from '../../core/users/index.js';
import {
  listSubscribedChannelIds,
  listActiveSubscriptionsOfUser,
  filterSubscribedChannelIds,
} from './subscriptions.repository.js';
import type { listSubscriptionsParameters } from './subscriptions.schemas.js';

/**
 * Lists subscriptions of the actor, and subscriptions of other users that the actor can see (docs/contract/chat.md
 * 2.E).
 */
@Injectable()
export class ReadSubscriptions {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly parts: SnapshotDataCache,
  ) {}

  /** Lists the actor's subscriptions to channels that are not archived, sorted by channel name. */
  async listSubscriptionsOfActor(
    { id: userId, realmId }: ChatActor,
    { include_subscribers: included }: DecodedParametersOfDefinition<typeof listSubscriptionsParameters>,
  ): Promise<{ subscriptions: JsonBytes }> {
    const lists = await this.parts.getCurrentValue(createRealmChannelsDataSource(realmId));
    // Read after the lists, so that a channel that is newer than the lists is omitted.
    const subscribed = await listActiveSubscriptionsOfUser(this.database, userId);
    const own = subscribed.flatMap((row) => {
      const facts = lists.facts.get(row.id);
      return facts === undefined || facts.is_archived ? [] : [{ ...row, nameKey: facts.nameKey }];
    });
    const ids = own.map(({ id }) => id);
    const texts = createCurrentChannelTexts(
      lists,
      await listFrequentlyChangedChannelFields(this.database, realmId, ids),
    );
    const subscribers = included === 'false' ? undefined : await this.#subscribers(realmId, ids);
    const written = own.toSorted(compareSubscriptionsByName).flatMap(({ id, subscription }) => {
      const text = texts.get(id);
      if (text === undefined) return [];
      const mine = appendFieldsToJsonObject(
        text,
        getChangeableSubscriptionFields(subscription, allNotificationSettingsInherited),
      );
      return [subscribers ? `${mine.slice(0, -1)},"subscribers":[${subscribers.get(id)?.ids ?? ''}]}` : mine];
    });
    return { subscriptions: JsonBytes.fromJsonText(`[${written.join(',')}]`) };
  }

  /**
   * Returns an object that states whether a user subscribes to a channel.
   *
   * @throws ApplicationError BAD_REQUEST for bots, and for a channel or account that the actor cannot see
   */
  async getSubscriptionStatus(
    actor: ChatActor,
    userId: number,
    channelId: number,
  ): Promise<{ is_subscribed: boolean }> {
    if (actor.kind === 'bot') throw createBadRequestError('This endpoint does not accept bot requests.');
    await this.#checkUser(actor, userId);
    const [channel] = await listChannels(this.database, actor, { channelIds: [channelId] });
    if (channel === undefined) throw createBadRequestError('Invalid channel ID');
    const subscribed = await filterSubscribedChannelIds(this.database, userId, [channelId]);
    return { is_subscribed: subscribed.has(channelId) };
  }

  /**
   * Lists the channels to which a user subscribes and which the actor can see.
   * @throws ApplicationError BAD_REQUEST
   */
  async listSubscribedChannelsOfUser(actor: ChatActor, userId: number): Promise<{ subscribed_channel_ids: number[] }> {
    await this.#checkUser(actor, userId);
    const ids = await listSubscribedChannelIds(this.database, userId);
    const known = await listChannelAccess(this.database, actor, ids);
    return { subscribed_channel_ids: known.filter((row) => !row.is_archived).map(({ id }) => id) };
  }

  /**
   * Reads the subscribers of the given channels from the snapshot cache or, if the cached data is out of date, from the
   * database. Does not update the snapshot cache, because the subscribers of all channels change too often.
   */
  async #subscribers(realmId: number, channelIds: readonly number[]) {
    const subscriptions = await this.parts.findCurrentCachedValue(createRealmSubscribersDataSource(realmId));
    if (subscriptions === undefined) return listSubscriberTexts(this.database, channelIds);
    const deactivated = await this.parts.getCurrentValue(createDeactivatedUsersDataSource(realmId));
    return this.parts.getDerivedValue(createActiveSubscribersDataSource(realmId, subscriptions, deactivated));
  }

  async #checkUser(actor: ChatActor, userId: number): Promise<void> {
    if (!(await findUsers(this.database, actor, [userId], { lock: false })).has(userId)) throw createNoSuchUserError();
  }
}

function compareSubscriptionsByName(a: { readonly nameKey: string }, b: { readonly nameKey: string }): number {
  return a.nameKey < b.nameKey ? -1 : Number(a.nameKey > b.nameKey);
}
