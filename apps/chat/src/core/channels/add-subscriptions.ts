import type { Tx } from '@switchboard/database';
import type { SubscriptionRow } from './channels.repository.js';

/** Colors for new subscriptions, which the service assigns in rotation. */
const subscriptionColors = ['#76ce90', '#fae589', '#a6c7e5', '#e79ab5', '#bfd56f', '#f4ae55', '#b0a5fd', '#addfe5'];

/** A subscription of a user to a channel that has not been written yet. */
export interface NewSubscription {
  readonly userId: number;
  readonly channelId: number;
  /**
   * Color as `#rrggbb` for a first subscription. The default is a color of {@link subscriptionColors}. A renewed
   * subscription retains its color.
   */
  readonly color?: string;
}

/** A subscription that was just created, or renewed after the user had unsubscribed. */
export interface AddedSubscription extends SubscriptionRow {
  user_id: number;
  channel_id: number;
}

/**
 * Subscribes users to channels in one SQL statement. Existing subscriptions remain unchanged. Returns the subscriptions
 * that were created or renewed.
 */
export async function addSubscriptions(
  tx: Tx,
  subscriptions: readonly NewSubscription[],
): Promise<AddedSubscription[]> {
  const { rows } = await tx.query<AddedSubscription>(
    `INSERT INTO subscriptions AS s (user_id, channel_id, color)
     SELECT wanted.user_id, wanted.channel_id, coalesce(wanted.color, ($4::text[])[1 + wanted.channel_id % $5])
     FROM unnest($1::int[], $2::int[], $3::text[]) AS wanted(user_id, channel_id, color)
     ON CONFLICT (user_id, channel_id) DO UPDATE SET is_active = true WHERE NOT s.is_active
     RETURNING *`,
    [
      subscriptions.map(({ userId }) => userId),
      subscriptions.map(({ channelId }) => channelId),
      subscriptions.map(({ color }) => color ?? null),
      subscriptionColors,
      subscriptionColors.length,
    ],
  );
  return rows;
}
