import type { Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { createChannelEventClientFilter } from './event-client-filter-schema.js';
import { listChannelAccess, listSubscribers } from './channels.repository.js';
import { defaultChannelGroupsEvent, readDefaultChannelGroups } from './default-channel-group.js';
import { readDefaultChannels } from './default-channels.repository.js';
import { emitSubscribersAdded } from './emit-subscriber-changes.js';
import { readWireChannels } from './read-wire-channels.js';
import { defaultChannelsEvent, channelCreateEvent, channelDeleteEvent } from './channel.events.js';

/** Channels that a user can see, by channel id. Each value states whether the channel is archived. */
export type VisibleChannels = ReadonlyMap<number, { readonly is_archived: boolean }>;

/** Lists the channels that a user can see, according to the user's current role in the database. */
export async function listVisibleChannels(tx: Tx, user: ChatActor): Promise<VisibleChannels> {
  const rows = await listChannelAccess(tx, user);
  return new Map(rows.map((row) => [row.id, { is_archived: row.is_archived }]));
}

/**
 * Emits events to one user whose visible channels have changed. The user gets a creation of each channel that became
 * visible, and a deletion of each channel that became hidden. The caller must have locked the membership of the realm.
 */
export async function emitChannelVisibilityChanges(
  tx: Tx,
  events: ChatEventWriter,
  user: ChatActor,
  before: VisibleChannels,
) {
  const { id, realmId } = user;
  const audience = { users: [id] };
  const now = await listVisibleChannels(tx, user);
  const gained = [...now.keys()].filter((channelId) => !before.has(channelId));
  const wire = await readWireChannels(tx, realmId, gained);
  const subscribers = await listSubscribers(tx, gained);
  for (const [channelId, channel] of wire) {
    const clients = createChannelEventClientFilter(channel);
    const payload = { channels: [{ ...channel, subscriber_count: 0 }], clients };
    events.write(tx, realmId, channelCreateEvent, { audience, payload });
    const peers = { channelId, userIds: subscribers.get(channelId) ?? [], audience: [id] };
    emitSubscribersAdded(tx, events, realmId, [peers], clients);
  }
  for (const [channelId, channel] of before) {
    if (now.has(channelId)) continue;
    const payload = { channelIds: [channelId], clients: createChannelEventClientFilter(channel) };
    events.write(tx, realmId, channelDeleteEvent, { audience, payload });
  }
}

/**
 * Emits the default channels and the default channel groups to one user who became a guest or is no longer a guest. For
 * guests, the lists are empty.
 */
export async function emitDefaultChannelsToUsers(
  tx: Tx,
  events: ChatEventWriter,
  user: ChatActor,
  isGuest: boolean,
): Promise<void> {
  const channelIds = isGuest ? [] : (await readDefaultChannels(tx, user.realmId)).channelIds;
  events.write(tx, user.realmId, defaultChannelsEvent, { audience: { users: [user.id] }, payload: { channelIds } });
  const { groups } = await readDefaultChannelGroups(tx, user.realmId);
  if (groups.length === 0) return;
  const payload = { groups: isGuest ? [] : groups };
  events.write(tx, user.realmId, defaultChannelGroupsEvent, { audience: { users: [user.id] }, payload });
}
