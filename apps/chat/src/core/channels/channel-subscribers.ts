import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import { getEffectiveUserSettings } from '../users/index.js';
import type { AddedSubscription } from './add-subscriptions.js';
import type { SubscribersWithEqualSettings } from './subscription.events.js';
import type { InheritedNotificationSettings } from './convert-to-wire-channel.js';

/** A subscriber of a channel, with the user settings that apply if the subscription has no setting of its own. */
export interface SubscriberWithNotificationDefaults {
  readonly id: number;
  readonly defaults: InheritedNotificationSettings;
}

/** Row of the table `users` with the columns that {@link notificationDefaultsColumns} selects. */
export interface UserNotificationDefaultsRow {
  desktop: boolean | null;
  audible: boolean | null;
  push: boolean | null;
  email: boolean | null;
  wildcard: boolean | null;
}

/** SQL columns of `users u` with the user settings that apply if a subscription has no setting of its own. */
export const notificationDefaultsColumns = `
  (u.settings->>'enable_stream_desktop_notifications')::boolean AS desktop,
  (u.settings->>'enable_stream_audible_notifications')::boolean AS audible,
  (u.settings->>'enable_stream_push_notifications')::boolean AS push,
  (u.settings->>'enable_stream_email_notifications')::boolean AS email,
  (u.settings->>'wildcard_mentions_notify')::boolean AS wildcard`;

const defaultNotificationSettings = getEffectiveUserSettings({});

/** Returns the notification settings of a user. Settings without a stored value get default values. */
export function getUserNotificationDefaults(row: UserNotificationDefaultsRow): InheritedNotificationSettings {
  return {
    desktop_notifications: row.desktop ?? defaultNotificationSettings.enable_stream_desktop_notifications,
    audible_notifications: row.audible ?? defaultNotificationSettings.enable_stream_audible_notifications,
    push_notifications: row.push ?? defaultNotificationSettings.enable_stream_push_notifications,
    email_notifications: row.email ?? defaultNotificationSettings.enable_stream_email_notifications,
    wildcard_mentions_notify: row.wildcard ?? defaultNotificationSettings.wildcard_mentions_notify,
  };
}

/**
 * Locks the active subscriptions of a channel, and the subscribed users, until the transaction ends. Executes one SQL
 * statement.
 */
export async function lockActiveSubscriptions(
  tx: SqlQueryRunner,
  channelId: number,
): Promise<{ subscriptions: AddedSubscription[]; subscribers: SubscriberWithNotificationDefaults[] }> {
  const { rows } = await tx.query<{ subscription: AddedSubscription } & UserNotificationDefaultsRow>(
    `SELECT to_jsonb(s) AS subscription, ${notificationDefaultsColumns}
     FROM subscriptions s JOIN users u ON u.id = s.user_id
     WHERE s.channel_id = $1 AND s.is_active AND u.is_active ORDER BY u.id FOR SHARE`,
    [channelId],
  );
  return {
    subscriptions: rows.map(({ subscription }) => subscription),
    subscribers: rows.map((row) => ({ id: row.subscription.user_id, defaults: getUserNotificationDefaults(row) })),
  };
}

/** Groups the subscribers of each channel, so that the subscribers of one group have equal subscription settings. */
export function groupSubscribersBySettings(
  rows: readonly AddedSubscription[],
  subscribers: readonly SubscriberWithNotificationDefaults[],
): Map<number, SubscribersWithEqualSettings[]> {
  const defaultsOf = new Map(subscribers.map(({ id, defaults }) => [id, defaults]));
  const alike = new Map<number, Map<string, SubscribersWithEqualSettings>>();
  for (const { user_id: userId, channel_id: channelId, ...preferences } of rows) {
    const defaults = defaultsOf.get(userId);
    if (defaults === undefined) continue;
    const groups = alike.get(channelId) ?? new Map<string, SubscribersWithEqualSettings>();
    alike.set(channelId, groups);
    const key = JSON.stringify([preferences, defaults]);
    const group = groups.get(key) ?? { userIds: [], preferences, defaults: { ...defaults } };
    group.userIds.push(userId);
    groups.set(key, group);
  }
  return new Map([...alike].map(([channelId, groups]) => [channelId, [...groups.values()]]));
}
