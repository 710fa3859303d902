import type { Tx } from '@switchboard/database';

/**
 * Maximum number of rows of `subscriber_counts` per channel. If a channel has more rows, a job merges them into one
 * row.
 */
const maxUnmergedSubscriberCountRows = 8;
const mergedChannelsPerBatch = 1000;

/**
 * Returns the SQL of the number of active subscribers of a channel. Database triggers maintain the counts, so that the
 * cost of reading a count does not depend on the number of subscribers.
 * @param channelId An SQL expression, for example `c.id`.
 */
export function subscriberCountSql(channelId: string): string {
  return `(SELECT coalesce(sum(counted.n), 0)::bigint FROM subscriber_counts counted
    WHERE counted.channel_id = ${channelId})`;
}

/**
 * SQL that merges the `subscriber_counts` rows of up to `$2` channels. Replaces the rows of each channel by one row, or
 * by no row if their sum is 0. Several processes may run this SQL concurrently, because each process replaces only the
 * rows that it deleted itself.
 */
const mergeSubscriberCountRowsSql = `WITH crowded AS (
    SELECT channel_id FROM subscriber_counts GROUP BY channel_id
    HAVING count(*) > $1 OR sum(n) = 0 LIMIT $2),
  gone AS (DELETE FROM subscriber_counts c USING crowded WHERE c.channel_id = crowded.channel_id
    RETURNING c.channel_id, c.n),
  kept AS (INSERT INTO subscriber_counts (channel_id, n)
    SELECT channel_id, sum(n) FROM gone GROUP BY channel_id HAVING sum(n) <> 0)
  SELECT count(*)::int AS folded FROM crowded`;

/**
 * Merges the rows that database triggers add to `subscriber_counts`, until no channel has more than
 * {@link maxUnmergedSubscriberCountRows} rows.
 */
export async function mergeSubscriberCounts(database: Tx): Promise<void> {
  for (let folded = mergedChannelsPerBatch; folded === mergedChannelsPerBatch;) {
    const { rows } = await database.query<{ folded: number }>(mergeSubscriberCountRowsSql, [
      maxUnmergedSubscriberCountRows,
      mergedChannelsPerBatch,
    ]);
    folded = rows[0]?.folded ?? 0;
  }
}
