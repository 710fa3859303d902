import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import { type ChangedGroupPermission, readSystemGroupIds } from '../user-groups/index.js';
import { emitUsersBecomingVisibleToGuests } from '../users/index.js';
import { createChannelEventClientFilter } from './event-client-filter-schema.js';
import { type ChannelAudience, listChannelAudiences } from './channel-audience.repository.js';
import { listChangedChannelProperties } from './changed-channel-properties.js';
import { removeChannelFromDefaultGroups } from './default-channel-group.js';
import { readDefaultChannels } from './default-channels.repository.js';
import type { LockedChannel } from './lock-channels.repository.js';
import { emitSubscribersAdded } from './emit-subscriber-changes.js';
import { readWireChannels } from './read-wire-channels.js';
import { defaultChannelsEvent, channelCreateEvent, channelDeleteEvent, channelUpdateEvent } from './channel.events.js';
import { subscriptionAddEvent } from './subscription.events.js';
import { lockActiveSubscriptions, groupSubscribersBySettings } from './channel-subscribers.js';
import type { NewChannelColumnValues } from './update-channel-columns.repository.js';
import type { WireChannel } from './wire-channel.js';

/**
 * A written change of a channel: the channel before the change, the changed values, and the users who could see the
 * channel before the change.
 */
export interface ChannelChangeWithAudiences {
  readonly channel: LockedChannel;
  readonly columns: NewChannelColumnValues;
  readonly settings: readonly ChangedGroupPermission[];
  readonly before: readonly number[];
}

interface ChannelChangeEventContext extends ChannelChangeWithAudiences {
  readonly tx: Tx;
  readonly events: ChatEventWriter;
  readonly wire: WireChannel;
  readonly after: ChannelAudience;
}

/**
 * Emits the events of a channel change (docs/contract/chat.md 3.5). Users who still see the channel receive updates.
 * Users who newly see the channel receive a creation event with the subscribers, and users who no longer see the
 * channel receive a deletion event.
 */
export async function emitChannelChanges(
  tx: Tx,
  events: ChatEventWriter,
  change: ChannelChangeWithAudiences,
): Promise<void> {
  const { id, realm_id: realmId } = change.channel;
  const after = (await listChannelAudiences(tx, realmId, [id])).get(id);
  const wire = (await readWireChannels(tx, realmId, [id])).get(id);
  if (after === undefined || wire === undefined) throw new Error(`Channel ${id} no longer exists`);
  const context: ChannelChangeEventContext = { ...change, tx, events, wire, after };
  await emitChannelPropertyChanges(context);
  emitChannelVisibilityChange(context);
  if ('is_archived' in change.columns) await emitChannelUnarchived(context);
  if (change.columns.is_private === true) await removeChannelFromDefaultGroups(tx, events, realmId, id);
  if ('is_default' in change.columns) await emitDefaultChannels(tx, events, realmId);
}

/** Emits the current list of default channels to all users except guests. */
export async function emitDefaultChannels(tx: Tx, events: ChatEventWriter, realmId: number): Promise<void> {
  const { channelIds, members } = await readDefaultChannels(tx, realmId);
  events.write(tx, realmId, defaultChannelsEvent, { audience: { users: members }, payload: { channelIds } });
}

async function emitChannelPropertyChanges({
  tx,
  events,
  channel,
  columns,
  settings,
  wire,
  before,
  after,
}: ChannelChangeEventContext): Promise<void> {
  const now = new Set(after.viewers);
  const users = before.filter((user) => now.has(user));
  const changes = listChangedChannelProperties(
    { channel, columns, settings, wire },
    await readSystemGroupIds(tx, channel.realm_id),
  );
  for (const change of changes) {
    const clients = change.property === 'is_archived' ? 'knowing_archived' : createChannelEventClientFilter(channel);
    events.write(tx, channel.realm_id, channelUpdateEvent, { audience: { users }, payload: { change, clients } });
  }
}

function emitChannelVisibilityChange({ tx, events, channel, wire, before, after }: ChannelChangeEventContext): void {
  const { id, realm_id: realmId } = channel;
  const clients = createChannelEventClientFilter(channel);
  const [old, now] = [new Set(before), new Set(after.viewers)];
  const gained = after.viewers.filter((user) => !old.has(user));
  const lost = before.filter((user) => !now.has(user));
  if (gained.length > 0) {
    const payload = { channels: [{ ...wire, subscriber_count: 0 }], clients };
    events.write(tx, realmId, channelCreateEvent, { audience: { users: gained }, payload });
    emitSubscribersAdded(
      tx,
      events,
      realmId,
      [{ channelId: id, userIds: after.subscribers, audience: gained }],
      clients,
    );
  }
  if (lost.length > 0) {
    events.write(tx, realmId, channelDeleteEvent, {
      audience: { users: lost },
      payload: { channelIds: [id], clients },
    });
  }
}

/**
 * Emits an unarchived channel as a new channel, with its subscriptions, to clients that do not support archived
 * channels.
 */
async function emitChannelUnarchived({ tx, events, channel, wire, after }: ChannelChangeEventContext): Promise<void> {
  const { id, realm_id: realmId } = channel;
  const clients = 'not_knowing_archived';
  const { subscriptions, subscribers } = await lockActiveSubscriptions(tx, id);
  await emitUsersBecomingVisibleToGuests(tx, events, realmId, subscriptions);
  events.write(tx, realmId, channelCreateEvent, {
    audience: { users: after.viewers },
    payload: { channels: [{ ...wire, subscriber_count: 0 }], clients },
  });
  const people = groupSubscribersBySettings(subscriptions, subscribers).get(id) ?? [];
  if (people.length > 0) {
    events.write(tx, realmId, subscriptionAddEvent, {
      audience: { users: after.subscribers },
      payload: { channels: [{ channel: wire, subscribers: [...after.subscribers], people }], clients },
    });
  }
  const themselves = new Set(after.subscribers);
  const audience = after.viewers.filter((user) => !themselves.has(user));
  emitSubscribersAdded(tx, events, realmId, [{ channelId: id, userIds: after.subscribers, audience }], clients);
}
