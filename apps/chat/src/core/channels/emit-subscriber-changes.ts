import type { Tx } from '@switchboard/database';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { EventClientFilter } from './event-client-filter-schema.js';
import type { ChannelAudience } from './channel-audience.repository.js';
import { subscribersAddedEvent, subscribersRemovedEvent } from './subscriber.events.js';

/** Users who were subscribed to or unsubscribed from one channel, and the users who receive the event about them. */
export interface SubscriberChange {
  readonly channelId: number;
  readonly userIds: readonly number[];
  readonly audience: readonly number[];
}

interface MergedSubscriberChange {
  readonly channelIds: number[];
  readonly userIds: number[];
  readonly audience: readonly number[];
}

/**
 * Emits events about the new subscribers of channels to the users who can see these channels. Channels with equal new
 * subscribers and equal recipients share one event.
 */
export function emitSubscribersAdded(
  tx: Tx,
  events: ChatEventWriter,
  realmId: number,
  changes: readonly SubscriberChange[],
  clients: EventClientFilter = 'all',
): void {
  for (const { audience, ...payload } of mergeSubscriberChanges(changes)) {
    events.write(tx, realmId, subscribersAddedEvent, {
      audience: { users: audience },
      payload: { ...payload, clients },
    });
  }
}

/**
 * Emits events about users who left channels to the users who can see these channels. Channels with equal former
 * subscribers and equal recipients share one event, see {@link emitSubscribersAdded}.
 */
export function emitSubscribersRemoved(
  tx: Tx,
  events: ChatEventWriter,
  realmId: number,
  changes: readonly SubscriberChange[],
  clients: EventClientFilter = 'all',
): void {
  for (const { audience, ...payload } of mergeSubscriberChanges(changes)) {
    events.write(tx, realmId, subscribersRemovedEvent, {
      audience: { users: audience },
      payload: { ...payload, clients },
    });
  }
}

/**
 * Returns the subscriber changes of channels, each with the users who receive the event about the change. These
 * recipients do not include the users who were subscribed or unsubscribed.
 */
export function createChannelSubscriberChanges(
  changed: ReadonlyMap<number, readonly number[]>,
  audiences: ReadonlyMap<number, ChannelAudience>,
): SubscriberChange[] {
  // Channels often have the same viewers and the same changed users. Their recipients are computed only once.
  const known = new Map<readonly number[], Map<string, readonly number[]>>();
  return [...changed].map(([channelId, userIds]) => {
    const viewers = audiences.get(channelId)?.viewers ?? [];
    const byUsers = known.get(viewers) ?? new Map<string, readonly number[]>();
    const key = userIds.join();
    const audience = byUsers.get(key) ?? excludeUserIds(viewers, userIds);
    known.set(viewers, byUsers.set(key, audience));
    return { channelId, userIds, audience };
  });
}

function excludeUserIds(viewers: readonly number[], userIds: readonly number[]): readonly number[] {
  const themselves = new Set(userIds);
  return viewers.filter((id) => !themselves.has(id));
}

/**
 * Merges the subscriber changes of several channels into one event if the changed users and the recipients are equal.
 */
function mergeSubscriberChanges(changes: readonly SubscriberChange[]): MergedSubscriberChange[] {
  const alike = new Map<string, MergedSubscriberChange>();
  const texts = new Map<readonly number[], string>();
  for (const { channelId, userIds, audience } of changes) {
    if (userIds.length === 0 || audience.length === 0) continue;
    const text = texts.get(audience) ?? audience.join();
    texts.set(audience, text);
    const sorted = userIds.toSorted((a, b) => a - b);
    const key = `${sorted.join()}|${text}`;
    const event = alike.get(key) ?? { channelIds: [], userIds: sorted, audience };
    event.channelIds.push(channelId);
    alike.set(key, event);
  }
  return [...alike.values()];
}
