import { Inject, Injectable } from '@nestjs/common';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { type ActorRights, loadActorRights, rejectGuests } from '../../core/access/actor-rights.js';
import { createBadRequestError, chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import type { DecodedParametersOfDefinition } from '../../infra/http/parameter-decorators.js';
import type { MessageRenderer } from '../../infra/markdown/index.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { DATABASE_TOKEN, MESSAGE_RENDERER_TOKEN } from '../../tokens.js';
import {
  type AddedSubscription,
  ChannelRights,
  createChannels,
  listUnusedChannelNames,
  lockChannels,
  type LockedChannel,
} from '../../core/channels/index.js';
import { AnnounceNewChannels } from './announce-new-channels.js';
import { checkSubscriptionCount } from './check-subscription-count.js';
import {
  lockUsersWithChangingSubscriptions,
  type UserWithChangingSubscriptions,
} from './lock-subscription-principals.repository.js';
import { filterSubscribedChannelIds } from './subscriptions.repository.js';
import type { subscribeParameters } from './subscriptions.schemas.js';
import { NewSubscriberNotifier } from './notify-new-subscribers.js';
import { type RequestedChannel, parseRequestedSubscriptionChannels } from './parse-requested-channels.js';
import { insertSubscriptionsAndEmitEvents } from './write-subscriptions.js';
import { lockChannelNames, lockRealmMembership } from '../../core/database-locks.js';

type SubscribeParameters = DecodedParametersOfDefinition<typeof subscribeParameters>;

/** Parameters of a subscription request, with the requested channels in a map whose keys are normalized names. */
export interface SubscribeRequest extends SubscribeParameters {
  readonly requested: ReadonlyMap<string, RequestedChannel>;
  /** Database id of the client program under which the service itself sends messages. */
  readonly clientId: number;
}

/**
 * Result of a subscription request: names of the channels to which each user was newly or already subscribed, by user
 * id.
 */
export interface SubscribeResult {
  readonly subscribed: Record<string, string[]>;
  readonly already_subscribed: Record<string, string[]>;
  readonly unauthorized?: string[];
  readonly new_subscription_messages_sent?: boolean;
}

/** Channels that a subscription request names: existing channels, and channels that the request creates. */
interface RequestedChannelsByAccess {
  readonly existing: readonly LockedChannel[];
  readonly created: readonly LockedChannel[];
}

/** Subscribes users to channels by name, and creates missing channels (docs/contract/chat.md 2.E). */
@Injectable()
export class SubscribeUsersToChannels {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(MESSAGE_RENDERER_TOKEN) private readonly renderer: MessageRenderer,
    private readonly events: ChatEventWriter,
    private readonly announcements: AnnounceNewChannels,
    private readonly newSubscribers: NewSubscriberNotifier,
  ) {}

  /**
   * Subscribes users to the named channels.
   *
   * @throws ApplicationError BAD_REQUEST, UNAUTHORIZED_PRINCIPAL, SYSTEM_GROUP_REQUIRED
   */
  async run(actor: ChatActor, parameters: SubscribeParameters): Promise<SubscribeResult> {
    const requested = parseRequestedSubscriptionChannels(parameters.subscriptions);
    const clientId = await this.announcements.createAnnouncementClientRow();
    return this.database.inTransaction((tx) =>
      this.subscribeInTransaction(tx, actor, { ...parameters, requested, clientId }),
    );
  }

  /**
   * Subscribes users to the named channels within a transaction of the caller. The transaction must not have acquired
   * locks before the call.
   */
  async subscribeInTransaction(
    tx: Tx,
    actor: ChatActor,
    { requested, clientId, ...parameters }: SubscribeRequest,
  ): Promise<SubscribeResult> {
    await lockRealmMembership(tx, actor.realmId, 'shared');
    const rights = await loadActorRights(tx, actor);
    const free = await listUnusedChannelNames(tx, actor.realmId, [...requested.keys()]);
    if (free.length > 0) await lockChannelNames(tx, actor.realmId);
    checkSubscriptionCount(requested.size, parameters.principals?.length ?? 1);
    const principals = await lockUsersWithChangingSubscriptions(tx, actor, parameters.principals);
    const { existing, created } = await this.#channels(tx, actor, rights, parameters, requested);
    const { open, closed } = await divideChannelsByAccess(tx, actor, rights, existing, principals);
    if (closed.length > 0 && parameters.authorization_errors_fatal) throw createInaccessibleChannelsError(closed);
    const channels = [...open, ...created];
    const added = await insertSubscriptionsAndEmitEvents(tx, this.events, {
      realmId: actor.realmId,
      principals,
      subscriptions: channels.flatMap((channel) => createNewSubscriptions(channel, principals, requested)),
      createdIds: created.map(({ id }) => id),
      createdAreDefault: parameters.is_default_stream,
    });
    if (parameters.announce) await this.announcements.postAnnouncement(tx, actor, created, clientId);
    const isNotified =
      parameters.send_new_subscription_messages &&
      (await this.newSubscribers.sendNewSubscriptionMessages(tx, actor, { added, channels, clientId }));
    return {
      ...createSubscribeResult(channels, principals, added),
      ...(parameters.send_new_subscription_messages && { new_subscription_messages_sent: isNotified }),
      ...(!parameters.authorization_errors_fatal && { unauthorized: closed.map(({ name }) => name) }),
    };
  }

  async #channels(
    tx: Tx,
    actor: ChatActor,
    rights: ActorRights,
    parameters: SubscribeParameters,
    requested: ReadonlyMap<string, RequestedChannel>,
  ): Promise<RequestedChannelsByAccess> {
    // The announcement channel is locked together with the others, so that all channels are locked in one order.
    const placeId = parameters.announce ? await this.announcements.findAnnouncementChannelId(tx, actor.realmId) : null;
    const selection = { nameKeys: [...requested.keys()], ids: placeId === null ? [] : [placeId] };
    const locked = await lockChannels(tx, actor.realmId, selection, 'subscribers');
    const existing = locked.filter(({ name }) => requested.has(normalizeTextForComparison(name)));
    const taken = new Set(existing.map(({ name }) => normalizeTextForComparison(name)));
    const missing = [...requested].filter(([key]) => !taken.has(key)).map(([, channel]) => channel);
    if (missing.length === 0) return { existing, created: [] };
    rejectGuests(rights);
    await this.#lockUnusedNames(tx, actor, missing);
    const ids = await createChannels(tx, missing, { actor, rights, parameters, renderer: this.renderer });
    return { existing, created: await lockChannels(tx, actor.realmId, { ids }, 'subscribers') };
  }

  /**
   * Locks the channel names of the realm, and checks again that no other channel has a name of the channels to create.
   */
  async #lockUnusedNames(tx: Tx, actor: ChatActor, missing: readonly RequestedChannel[]): Promise<void> {
    await lockChannelNames(tx, actor.realmId);
    const names = missing.map(({ name }) => name);
    const free = new Set(await listUnusedChannelNames(tx, actor.realmId, names));
    const taken = names.find((name) => !free.has(name));
    if (taken !== undefined) throw createBadRequestError(`Channel name '${taken}' is already taken.`);
  }
}

/**
 * Divides channels into two lists: channels to which the actor may subscribe the named users, and channels to which the
 * actor may not.
 */
async function divideChannelsByAccess(
  tx: Tx,
  actor: ChatActor,
  rights: ActorRights,
  channels: readonly LockedChannel[],
  principals: readonly UserWithChangingSubscriptions[],
): Promise<{ open: LockedChannel[]; closed: LockedChannel[] }> {
  const own = await filterSubscribedChannelIds(
    tx,
    actor.id,
    channels.map(({ id }) => id),
  );
  const addsOthers = principals.some(({ id }) => id !== actor.id);
  const judged = channels.map((channel) => ({
    channel,
    may: new ChannelRights(channel, rights, own.has(channel.id)),
  }));
  const accessible = judged.filter(({ channel, may }) => may.canSubscribe && !channel.is_archived);
  if (addsOthers && accessible.some(({ may }) => !may.canAddSubscribers)) {
    throw chatErrors.create('UNAUTHORIZED_PRINCIPAL', { message: 'Insufficient permission' });
  }
  const open = accessible.map(({ channel }) => channel);
  return { open, closed: channels.filter((channel) => !open.includes(channel)) };
}

function createInaccessibleChannelsError(channels: readonly LockedChannel[]): Error {
  return createBadRequestError(`Unable to access channel (${channels.map(({ name }) => name).join(', ')}).`);
}

function createNewSubscriptions(
  channel: LockedChannel,
  principals: readonly UserWithChangingSubscriptions[],
  requested: ReadonlyMap<string, RequestedChannel>,
) {
  const color = requested.get(normalizeTextForComparison(channel.name))?.color;
  return principals.map(({ id }) => ({ userId: id, channelId: channel.id, ...(color !== undefined && { color }) }));
}

function createSubscribeResult(
  channels: readonly LockedChannel[],
  principals: readonly UserWithChangingSubscriptions[],
  added: readonly AddedSubscription[],
): Pick<SubscribeResult, 'subscribed' | 'already_subscribed'> {
  const isAdded = new Set(added.map((row) => `${row.user_id}:${row.channel_id}`));
  const names = (userId: number, began: boolean) =>
    channels.filter(({ id }) => isAdded.has(`${userId}:${id}`) === began).map(({ name }) => name);
  const byUser = (began: boolean) =>
    Object.fromEntries(
      principals.map(({ id }) => [String(id), names(id, began)] as const).filter(([, list]) => list.length > 0),
    );
  return { subscribed: byUser(true), already_subscribed: byUser(false) };
}
