import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import {
  type AddedSubscription,
  addSubscriptions,
  type ChannelAudience,
  defaultChannelsEvent,
  listChannelAudiences,
  type NewSubscription,
  createChannelSubscriberChanges,
  groupSubscribersBySettings,
  readDefaultChannels,
  readWireChannels,
  channelCreateEvent,
  subscriptionAddEvent,
  type WireChannel,
  emitSubscribersAdded,
} from '../../core/channels/index.js';
import { emitUsersBecomingVisibleToGuests } from '../../core/users/index.js';
import type { UserWithChangingSubscriptions } from './lock-subscription-principals.repository.js';

/**
 * New subscriptions to write, and the ids of channels that the request has created. The rows of all channels and users
 * are locked.
 */
export interface NewSubscriptionsToWrite {
  readonly realmId: number;
  readonly principals: readonly UserWithChangingSubscriptions[];
  readonly subscriptions: readonly NewSubscription[];
  readonly createdIds: readonly number[];
  /** True if channels created by the request become default channels. */
  readonly createdAreDefault: boolean;
}

interface SubscriptionChangeContext {
  readonly tx: Tx;
  readonly events: ChatEventWriter;
  readonly plan: NewSubscriptionsToWrite;
  readonly added: readonly AddedSubscription[];
  readonly audiences: ReadonlyMap<number, ChannelAudience>;
  readonly channels: ReadonlyMap<number, WireChannel>;
}

/**
 * Inserts subscriptions and emits events, in at most ten statements (docs/contract/chat.md 3.5). First events about
 * channels that become visible, then about subscriptions, then about new subscribers.
 *
 * @returns the new subscriptions
 */
export async function insertSubscriptionsAndEmitEvents(
  tx: Tx,
  events: ChatEventWriter,
  plan: NewSubscriptionsToWrite,
): Promise<readonly AddedSubscription[]> {
  const added = await addSubscriptions(tx, plan.subscriptions);
  const channelIds = [...new Set([...plan.createdIds, ...added.map((row) => row.channel_id)])];
  const context: SubscriptionChangeContext = {
    tx,
    events,
    plan,
    added,
    audiences: await listChannelAudiences(tx, plan.realmId, channelIds),
    channels: await readWireChannels(tx, plan.realmId, channelIds),
  };
  const byChannel = groupUsersByChannel(added);
  // Users are emitted before the channels that refer to them.
  await emitUsersBecomingVisibleToGuests(tx, events, plan.realmId, added);
  emitEventsAboutVisibleChannels(context, byChannel);
  if (plan.createdIds.length > 0 && plan.createdAreDefault) {
    const { channelIds: defaults, members } = await readDefaultChannels(tx, plan.realmId);
    events.write(tx, plan.realmId, defaultChannelsEvent, {
      audience: { users: members },
      payload: { channelIds: defaults },
    });
  }
  emitSubscriptionEvents(context, byChannel);
  emitSubscribersAdded(tx, events, plan.realmId, createChannelSubscriberChanges(byChannel, context.audiences));
  return added;
}

/**
 * Emits events about new channels. Also emits existing channels to new subscribers who could not see the channels
 * before.
 */
function emitEventsAboutVisibleChannels(
  context: SubscriptionChangeContext,
  byChannel: ReadonlyMap<number, readonly number[]>,
): void {
  const { tx, events, plan, audiences, channels } = context;
  for (const [id, channel] of channels) {
    const audience = audiences.get(id);
    if (audience === undefined) continue;
    const isNew = plan.createdIds.includes(id);
    const users = isNew ? audience.viewers : (byChannel.get(id) ?? []).filter((user) => !audience.byRight.has(user));
    if (users.length === 0) continue;
    const appearing = isNew ? { ...channel, subscriber_count: 0 } : channel;
    events.write(tx, plan.realmId, channelCreateEvent, {
      audience: { users },
      payload: { channels: [appearing], clients: 'all' },
    });
  }
}

function emitSubscriptionEvents(
  { tx, events, plan, added, audiences, channels }: SubscriptionChangeContext,
  byChannel: ReadonlyMap<number, readonly number[]>,
): void {
  if (added.length === 0) return;
  const alike = groupSubscribersBySettings(added, plan.principals);
  events.write(tx, plan.realmId, subscriptionAddEvent, {
    audience: { users: [...new Set(added.map((row) => row.user_id))] },
    payload: {
      channels: [...byChannel.keys()].flatMap((id) => {
        const channel = channels.get(id);
        if (channel === undefined) return [];
        return [{ channel, subscribers: [...(audiences.get(id)?.subscribers ?? [])], people: alike.get(id) ?? [] }];
      }),
      clients: 'all',
    },
  });
}

/** Groups the users of subscription rows by channel. */
export function groupUsersByChannel(
  rows: readonly { readonly user_id: number; readonly channel_id: number }[],
): Map<number, number[]> {
  const byChannel = new Map<number, number[]>();
  for (const { user_id: userId, channel_id: channelId } of rows) {
    const users = byChannel.get(channelId) ?? [];
    users.push(userId);
    byChannel.set(channelId, users);
  }
  return byChannel;
}
