import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  type DerivedDataSource,
  snapshotDataModelNumbers,
  type SnapshotDataSource,
  type ValueWithMemorySize,
} from '../../events/snapshot-memory/index.js';
import {
  listDeactivatedUsers,
  readRealmSubscriberTexts,
  type SubscriberCountAndIdsText,
  type SubscriberTexts,
} from './channels.repository.js';

/** Number of user ids that a computation processes before the event loop may run other work. */
const USER_IDS_PER_EVENT_LOOP_TURN = 20_000;

/**
 * Returns the query with which the cache of snapshot data reads the subscribers of all channels of a realm. The result
 * includes deactivated users, so that a change of a user does not invalidate the cached value.
 */
export function createRealmSubscribersDataSource(realmId: number): SnapshotDataSource<SubscriberTexts> {
  return {
    key: JSON.stringify(['subscriptions', realmId]),
    models: [snapshotDataModelNumbers.subscribers, snapshotDataModelNumbers.channels],
    async read(tx) {
      const value = await readRealmSubscriberTexts(tx, realmId);
      return { value, byteLength: [...value.values()].reduce((sum, { ids }) => sum + ids.length + 100, 0) };
    },
  };
}

/**
 * Returns the query with which the cache of snapshot data reads the ids of a realm's deactivated users, separated by
 * commas.
 */
export function createDeactivatedUsersDataSource(realmId: number): SnapshotDataSource<string> {
  return {
    key: JSON.stringify(['deactivated users', realmId]),
    models: [snapshotDataModelNumbers.users],
    async read(tx) {
      const value = await listDeactivatedUsers(tx, realmId);
      return { value, byteLength: value.length };
    },
  };
}

/**
 * Returns the computation with which the cache of snapshot data derives the active subscribers of all channels of a
 * realm. The result excludes deactivated users.
 *
 * @param subscriptions the value of {@link createRealmSubscribersDataSource}
 * @param deactivated the value of {@link createDeactivatedUsersDataSource}
 */
export function createActiveSubscribersDataSource(
  realmId: number,
  subscriptions: SubscriberTexts,
  deactivated: string,
): DerivedDataSource<SubscriberTexts> {
  return {
    key: JSON.stringify(['subscribers', realmId]),
    inputs: [subscriptions, deactivated],
    make: () => excludeSubscribers(subscriptions, deactivated),
  };
}

async function excludeSubscribers(
  subscriptions: SubscriberTexts,
  userIds: string,
): Promise<ValueWithMemorySize<SubscriberTexts>> {
  if (userIds === '') return { value: subscriptions, byteLength: 0 };
  const left = new Set(userIds.split(','));
  const value = new Map<number, SubscriberCountAndIdsText>();
  let byteLength = 0;
  let compared = 0;
  for (const [channelId, text] of subscriptions) {
    const ids = text.ids.split(',').filter((id) => !left.has(id));
    const kept = ids.length === text.count ? text : { count: ids.length, ids: ids.join(',') };
    if (ids.length > 0) value.set(channelId, kept);
    byteLength += kept === text ? 100 : kept.ids.length + 100;
    compared += text.count;
    if (compared >= USER_IDS_PER_EVENT_LOOP_TURN) {
      compared = 0;
      await nextTurn();
    }
  }
  return { value, byteLength };
}
