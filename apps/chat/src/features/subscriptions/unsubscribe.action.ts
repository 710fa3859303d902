import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { loadActorRights, createInsufficientPermissionError } from '../../core/access/actor-rights.js';
import { createBadRequestError } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import {
  ChannelRights,
  listChannelAudiences,
  lockChannels,
  type LockedChannel,
  createChannelSubscriberChanges,
  channelDeleteEvent,
  subscriptionRemoveEvent,
  emitSubscribersRemoved,
} from '../../core/channels/index.js';
import { removeEventQueuesOfGuests } from '../../core/users/index.js';
import { checkSubscriptionCount } from './check-subscription-count.js';
import {
  lockUsersWithChangingSubscriptions,
  type UserWithChangingSubscriptions,
} from './lock-subscription-principals.repository.js';
import {
  endSubscriptions,
  filterSubscribedChannelIds,
  markMessagesReadAfterLeaving,
  type UserAndChannelIds,
} from './subscriptions.repository.js';
import { groupUsersByChannel } from './write-subscriptions.js';
import { lockRealmMembership } from '../../core/database-locks.js';

/** Names of the channels that at least one user left, and of the channels to which no given user was subscribed. */
export interface UnsubscribeResult {
  readonly removed: string[];
  readonly not_removed: string[];
}

/** Unsubscribes the actor, the actor's bots, or other users from channels (docs/contract/chat.md 2.E). */
@Injectable()
export class UnsubscribeUsersFromChannels {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Unsubscribes users from the named channels.
   *
   * @throws ApplicationError BAD_REQUEST
   */
  run(
    actor: ChatActor,
    names: readonly string[],
    named: readonly (number | string)[] | undefined,
  ): Promise<UnsubscribeResult> {
    return this.database.inTransaction(async (tx) => {
      await lockRealmMembership(tx, actor.realmId, 'shared');
      return this.unsubscribeInTransaction(tx, actor, names, named);
    });
  }

  /**
   * Unsubscribes users from the named channels within a transaction of the caller. The transaction must have locked the
   * realm membership.
   */
  async unsubscribeInTransaction(
    tx: Tx,
    actor: ChatActor,
    names: readonly string[],
    named: readonly (number | string)[] | undefined,
  ): Promise<UnsubscribeResult> {
    checkSubscriptionCount(names.length, named?.length ?? 1);
    const principals = await lockUsersWithChangingSubscriptions(tx, actor, named);
    const channels = await lockChannelsToUnsubscribeFrom(tx, actor, names, principals);
    const ended = await endSubscriptions(
      tx,
      principals.map(({ id }) => id),
      channels.map(({ id }) => id),
    );
    if (ended.length > 0) {
      await markMessagesReadAfterLeaving(tx, ended);
      await this.#emitEvent(tx, actor.realmId, channels, ended);
      await removeEventQueuesOfGuests(tx, this.events, actor.realmId, {
        channelIds: ended.map((row) => row.channel_id),
        userIds: ended.map((row) => row.user_id),
      });
    }
    const left = new Set(ended.map((row) => row.channel_id));
    return {
      removed: channels.filter(({ id }) => left.has(id)).map(({ name }) => name),
      not_removed: channels.filter(({ id }) => !left.has(id)).map(({ name }) => name),
    };
  }

  /** Emits events about ended subscriptions, and about channels that unsubscribed users can no longer see. */
  async #emitEvent(
    tx: Tx,
    realmId: number,
    channels: readonly LockedChannel[],
    ended: readonly UserAndChannelIds[],
  ): Promise<void> {
    const byChannel = groupUsersByChannel(ended);
    const audiences = await listChannelAudiences(tx, realmId, [...byChannel.keys()]);
    this.events.write(tx, realmId, subscriptionRemoveEvent, {
      audience: { users: [...new Set(ended.map((row) => row.user_id))] },
      payload: {
        channels: channels.flatMap(({ id, name }) => {
          const userIds = byChannel.get(id);
          return userIds === undefined ? [] : [{ id, name, userIds }];
        }),
      },
    });
    emitSubscribersRemoved(tx, this.events, realmId, createChannelSubscriberChanges(byChannel, audiences));
    for (const [channelId, userIds] of byChannel) {
      const users = userIds.filter((id) => audiences.get(channelId)?.byRight.has(id) !== true);
      if (users.length === 0) continue;
      this.events.write(tx, realmId, channelDeleteEvent, {
        audience: { users },
        payload: { channelIds: [channelId], clients: 'all' },
      });
    }
  }
}

/** Locks and returns the channels to unsubscribe from, and checks that the actor may unsubscribe the named users. */
async function lockChannelsToUnsubscribeFrom(
  tx: Tx,
  actor: ChatActor,
  names: readonly string[],
  principals: readonly UserWithChangingSubscriptions[],
): Promise<LockedChannel[]> {
  const rights = await loadActorRights(tx, actor);
  const keys = new Map(names.map((name) => [normalizeTextForComparison(name.trim()), name.trim()]));
  const channels = await lockChannels(tx, actor.realmId, { nameKeys: [...keys.keys()] }, 'subscribers');
  const own = await filterSubscribedChannelIds(
    tx,
    actor.id,
    channels.map(({ id }) => id),
  );
  const judged = channels.map((channel) => ({
    channel,
    may: new ChannelRights(channel, rights, own.has(channel.id)),
  }));
  const known = judged.filter(({ channel, may }) => may.canSeeChannel && !channel.is_archived);
  const found = new Set(known.map(({ channel }) => normalizeTextForComparison(channel.name)));
  const missing = [...keys].filter(([key]) => !found.has(key)).map(([, name]) => name);
  if (missing.length > 0) throw createBadRequestError(`Channel(s) (${missing.join(', ')}) do not exist`);
  const removesOthers = principals.some(({ id, botOwnerId }) => id !== actor.id && botOwnerId !== actor.id);
  if (removesOthers && known.some(({ may }) => !may.canRemoveSubscribers)) throw createInsufficientPermissionError();
  return known.map(({ channel }) => channel);
}
