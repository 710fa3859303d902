import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import {
  listChannelAudiences,
  lockChannels,
  createChannelSubscriberChanges,
  emitSubscribersAdded,
  emitSubscribersRemoved,
} from '../../core/channels/index.js';

/**
 * Emits events: reactivated accounts join their channels, and deactivated accounts leave their channels. The events are
 * needed because subscriptions of deactivated accounts are hidden (docs/contract/chat.md 3.5). Changes in archived
 * channels are emitted only to clients that support archived channels. Runs four statements. Must be called after the
 * new state of the accounts is written.
 */
export async function emitSubscriptionEventsOfActivation(
  events: ChatEventWriter,
  tx: Tx,
  realmId: number,
  change: { readonly userIds: readonly number[]; readonly isActive: boolean },
): Promise<void> {
  const subscribed = await listSubscribedChannelsOfAccounts(tx, change.userIds);
  const channelIds = [...subscribed.keys()];
  if (channelIds.length === 0) return;
  const channels = await lockChannels(tx, realmId, { ids: channelIds }, 'subscribers');
  const archived = new Set(channels.filter((channel) => channel.is_archived).map(({ id }) => id));
  const changes = createChannelSubscriberChanges(subscribed, await listChannelAudiences(tx, realmId, channelIds));
  const write = change.isActive ? emitSubscribersAdded : emitSubscribersRemoved;
  const inUse = changes.filter(({ channelId }) => !archived.has(channelId));
  const outOfUse = changes.filter(({ channelId }) => archived.has(channelId));
  write(tx, events, realmId, inUse, 'all');
  write(tx, events, realmId, outOfUse, 'knowing_archived');
}

/**
 * Lists the channels to which the given accounts subscribe, in ascending order of id. Returns a map from channel id to
 * account ids.
 */
async function listSubscribedChannelsOfAccounts(tx: Tx, userIds: readonly number[]): Promise<Map<number, number[]>> {
  const { rows } = await tx.query<{ channel_id: number; user_ids: number[] }>(
    `SELECT s.channel_id, array_agg(s.user_id ORDER BY s.user_id) AS user_ids
     FROM subscriptions s WHERE s.user_id = ANY($1) AND s.is_active
     GROUP BY s.channel_id ORDER BY s.channel_id`,
    [userIds],
  );
  return new Map(rows.map((row) => [row.channel_id, row.user_ids]));
}
