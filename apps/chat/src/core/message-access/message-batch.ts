import { indexOrder, shownTopicSql, topicJoin } from '../messages/index.js';
import { missingRows } from '../soft-deactivation/index.js';

/** Maximum number of messages changed in one transaction: a message costs as much as 20 rows of recipients. */
const mostMessages = 500;

/**
 * Maximum number of rows of recipients changed in one transaction unless configured. Deleting 4,000 takes some 100 ms, in
 * which nothing is sent to the channel.
 */
export const batchRows = 4_000;

/** A message of a batch, which is locked. */
export interface BatchMessage {
  readonly id: number;
  readonly topic: string;
  /** True if the batch is full: more messages may follow. */
  readonly isFull: boolean;
}

/** Messages to be changed batch by batch, as SQL. */
export interface BatchSource {
  /** `SELECT m.id FROM messages m ...` with its WHERE, neither ordered nor limited. */
  readonly select: string;
  readonly order: 'ASC' | 'DESC';
  /** The column that the index of the source has before the id, with one value in all rows: see `indexOrder`. */
  readonly before?: string;
  /** SQL of the maximum number of rows; null where the rows of recipients stay as they are. */
  readonly rows: string | null;
  /** True if rows that soft deactivation left out are written for the batch, and count. */
  readonly writesMissing?: boolean;
}

/**
 * Returns a statement that locks the first messages of the source, as many as one transaction changes, and yields
 * {@link BatchMessage}s in ascending order. The rows of recipients are counted up to the limit alone. The last message
 * is part of the batch as a whole, whatever the number of its recipients.
 *
 * `= ANY` of one id leaves a nested loop as the only join with the messages of the batch. The planner expects many more
 * of them, and would read all messages there are.
 */
export function lockBatchSql({ select, order, before, rows, writesMissing = false }: BatchSource): string {
  const absent = writesMissing ? ` UNION ALL SELECT FROM (${missingRows('ARRAY[candidate.id]')}) missing` : '';
  const sorted = indexOrder({ id: 'm.id', before }, order);
  const first = `SELECT id FROM (${select} ORDER BY ${sorted} LIMIT ${mostMessages}) candidate`;
  const counted =
    rows === null
      ? first
      : `${first} LEFT JOIN LATERAL (
           SELECT FROM user_messages um WHERE um.message_id = candidate.id AND um.flags >= 0${absent} OFFSET 0) received ON true
         ORDER BY id ${order} LIMIT ${rows}`;
  return `
    WITH counted AS MATERIALIZED (${counted}), batch AS MATERIALIZED (SELECT DISTINCT id FROM counted)
    SELECT m.id, ${shownTopicSql} AS topic, (SELECT count(*) FROM batch) >= ${mostMessages}
      ${rows === null ? '' : `OR (SELECT count(*) FROM counted) >= ${rows}`} AS "isFull"
    FROM batch JOIN messages m ON m.id = ANY (ARRAY[batch.id]) ${topicJoin} ORDER BY m.id FOR UPDATE OF m`;
}
