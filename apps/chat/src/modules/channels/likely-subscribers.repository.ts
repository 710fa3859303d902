import type { SqlReader } from '../../access/sql-reader.js';

/** Channels with fewer subscribers are always told with all of them (chat.md 4.20). */
const fewSubscribers = 250;

/** All subscribers of a channel, or of a large one those whom a client is likely to ask for. */
export type LikelySubscribers = { readonly subscribers: number[] } | { readonly partial_subscribers: number[] };

/**
 * Subscribers of channels by the channels' ids, in fields of the wire: of large channels bots and whoever was there since
 * a moment. One statement, and a client that starts need not read the whole of a realm's lists.
 */
export async function listLikelySubscribers(
  tx: SqlReader,
  channelIds: readonly number[],
  since: Date,
): Promise<Map<number, LikelySubscribers>> {
  const { rows } = await tx.query<{ channel_id: number; is_whole: boolean; user_ids: number[] }>(
    `SELECT s.channel_id, count(*) < ${fewSubscribers} AS is_whole,
       CASE WHEN count(*) < ${fewSubscribers} THEN array_agg(s.user_id ORDER BY s.user_id)
         ELSE coalesce(array_agg(s.user_id ORDER BY s.user_id)
           FILTER (WHERE u.bot_type IS NOT NULL OR p.last_connected_at >= $2), '{}') END AS user_ids
     FROM subscriptions s JOIN users u ON u.id = s.user_id LEFT JOIN presences p ON p.user_id = u.id
     WHERE s.channel_id = ANY($1) AND s.is_active AND u.is_active
     GROUP BY s.channel_id`,
    [channelIds, since],
  );
  return new Map(
    rows.map(({ channel_id: id, is_whole: isWhole, user_ids: userIds }) => [
      id,
      isWhole ? { subscribers: userIds } : { partial_subscribers: userIds },
    ]),
  );
}
