import { Inject, Injectable } from '@nestjs/common';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../access/actor.js';
import { findUsers } from '../../access/find-users.js';
import { badRequest } from '../../errors.js';
import type { ParametersOf } from '../../http/parameter-decorators.js';
import { textKey } from '../../text-key.js';
import { DATABASE } from '../../tokens.js';
import {
  asMySettings,
  listChannels,
  listSubscribers,
  readChannelContext,
  toWireChannel,
  toWirePreferences,
  type WireSubscription,
} from '../channels/index.js';
import { noSuchUser } from '../users/index.js';
import { listOwnChannelIds, listSubscribedChannels } from './subscriptions.repository.js';
import type { listSubscriptionsParameters } from './subscriptions.schemas.js';

/** Reads who subscribes to what, as far as the actor may know (chat-contract 2.E). */
@Injectable()
export class ReadSubscriptions {
  constructor(@Inject(DATABASE) private readonly database: Database) {}

  /** The actor's subscriptions to channels that are not archived, by name. */
  async listOwn(
    actor: ChatActor,
    parameters: ParametersOf<typeof listSubscriptionsParameters>,
  ): Promise<{ subscriptions: WireSubscription[] }> {
    const channelIds = await listOwnChannelIds(this.database, actor.id);
    const rows = await listChannels(this.database, actor, { channelIds });
    const own = rows.filter((row) => row.subscription?.is_active === true && !row.is_archived);
    const context = await readChannelContext(this.database, actor.realmId, own);
    const members = await this.#members(
      parameters,
      own.map(({ id }) => id),
    );
    const subscriptions = own.flatMap((row) =>
      row.subscription === null
        ? []
        : [
            {
              ...toWireChannel(row, context),
              ...toWirePreferences(row.subscription, asMySettings),
              ...members(row.id),
            },
          ],
    );
    return { subscriptions: subscriptions.toSorted(byName) };
  }

  /** @throws AppError BAD_REQUEST for a channel or an account that the actor may not know of; for bots */
  async getStatus(actor: ChatActor, userId: number, channelId: number): Promise<{ is_subscribed: boolean }> {
    if (actor.kind === 'bot') throw badRequest('This endpoint does not accept bot requests.');
    await this.#checkUser(actor, userId);
    const [channel] = await listChannels(this.database, actor, { channelIds: [channelId] });
    if (channel === undefined) throw badRequest('Invalid channel ID');
    const subscribed = await listSubscribedChannels(this.database, userId, [channelId]);
    return { is_subscribed: subscribed.has(channelId) };
  }

  /** The channels of somebody that the actor may know of. @throws AppError BAD_REQUEST */
  async listChannelsOf(actor: ChatActor, userId: number): Promise<{ subscribed_channel_ids: number[] }> {
    await this.#checkUser(actor, userId);
    const known = (await listChannels(this.database, actor)).filter((row) => !row.is_archived);
    const ids = known.map(({ id }) => id);
    const subscribed = await listSubscribedChannels(this.database, userId, ids);
    return { subscribed_channel_ids: ids.filter((id) => subscribed.has(id)) };
  }

  async #members(parameters: ParametersOf<typeof listSubscriptionsParameters>, channelIds: readonly number[]) {
    if (parameters.include_subscribers === 'false') return () => ({});
    const byChannel = await listSubscribers(this.database, channelIds);
    return (id: number) => ({ subscribers: byChannel.get(id) ?? [] });
  }

  async #checkUser(actor: ChatActor, userId: number): Promise<void> {
    if (!(await findUsers(this.database, actor, [userId], { lock: false })).has(userId)) throw noSuchUser();
  }
}

function byName(a: WireSubscription, b: WireSubscription): number {
  const [left, right] = [textKey(a.name), textKey(b.name)];
  return left < right ? -1 : Number(left > right);
}
