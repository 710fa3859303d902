import { setImmediate as nextTurn } from 'node:timers/promises';
import type { SqlReader } from '../../access/sql-reader.js';

/** Channels with fewer subscribers are always told with all of them (chat.md 4.20). */
const fewSubscribers = 250;

/** All subscribers of a channel, or of a large one those whom a client is likely to ask for. */
export type LikelySubscribers = { readonly subscribers: number[] } | { readonly partial_subscribers: number[] };

/**
 * Subscribers of channels by the channels' ids, in fields of the wire: of large channels bots, and users who were active
 * since a moment, by presence or by any request. One statement: a client that starts need not read all lists of a realm.
 */
export async function listLikelySubscribers(
  tx: SqlReader,
  channelIds: readonly number[],
  since: Date,
): Promise<Map<number, LikelySubscribers>> {
  const { rows } = await tx.query<{ channel_id: number; is_whole: boolean; user_ids: (number | null)[] }>(
    // One pass that sorts nothing; of large channels the few people alone are looked for.
    `WITH channel AS MATERIALIZED (
       SELECT s.channel_id, count(*) < ${fewSubscribers} AS is_whole,
         CASE WHEN count(*) < ${fewSubscribers} THEN array_agg(s.user_id) END AS user_ids
       FROM subscriptions s
       WHERE s.channel_id = ANY($1) AND s.is_active AND s.user_id NOT IN (SELECT id FROM users WHERE NOT is_active)
       GROUP BY s.channel_id
     ), likely AS MATERIALIZED (
       SELECT u.id FROM users u LEFT JOIN presences p ON p.user_id = u.id
       LEFT JOIN user_activity a ON a.user_id = u.id
       WHERE u.is_active AND (u.bot_type IS NOT NULL OR p.last_connected_at >= $2 OR a.last_request_at >= $2)
     )
     SELECT channel_id, is_whole, user_ids FROM channel WHERE is_whole
     UNION ALL
     SELECT channel.channel_id, false, array_agg(s.user_id)
     FROM channel LEFT JOIN (likely JOIN subscriptions s ON s.user_id = likely.id AND s.is_active)
       ON s.channel_id = channel.channel_id
     WHERE NOT channel.is_whole GROUP BY channel.channel_id`,
    [channelIds, since],
  );
  const byChannel = new Map<number, LikelySubscribers>();
  for (const { channel_id: id, is_whole: isWhole, user_ids: userIds } of rows) {
    const sorted = userIds.filter((userId) => userId !== null).toSorted((a, b) => a - b);
    byChannel.set(id, isWhole ? { subscribers: sorted } : { partial_subscribers: sorted });
    // Hundreds of thousands of ids in all: other work has its turn in between.
    if (byChannel.size % 200 === 0) await nextTurn();
  }
  return byChannel;
}
