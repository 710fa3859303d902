import type { Database, Tx } from '@switchboard/database';
import { indexOrder, shownTopicSql, type SqlParameters, topicJoin } from '../messages/index.js';
import { missingRows } from '../soft-deactivation/index.js';
import type { BatchSize } from './batch-pace.js';

/** A message of a batch, which is locked. */
export interface BatchMessage {
  readonly id: number;
  readonly topic: string;
}

/** Messages to be changed batch by batch, as SQL. */
export interface BatchSource {
  /** `SELECT m.id FROM messages m ...` with its WHERE, neither ordered nor limited. */
  readonly select: string;
  readonly order: 'ASC' | 'DESC';
  /** The column that the index of the source has before the id, with one value in all rows: see `indexOrder`. */
  readonly before?: string;
  /** True if the rows of recipients change, too. */
  readonly countsRecipients: boolean;
  /** True if rows that soft deactivation left out are written for the batch, and count. */
  readonly writesMissing?: boolean;
}

/** Messages that one transaction changes. */
export interface LockedBatch {
  /** Ascending. */
  readonly messages: readonly BatchMessage[];
  /** True if more messages may follow. */
  readonly isFull: boolean;
}

/** Ids of a batch that is full: the smallest and the largest. */
export interface BatchBounds {
  readonly first: number;
  readonly last: number;
}

/**
 * Finds the bounds of the next batch while senders go on. Reading the messages and counting their recipients takes as
 * long as changing them.
 *
 * @returns null if the messages that are left are fewer than a batch
 */
export async function findBatch(
  database: Database,
  source: BatchSource,
  sql: SqlParameters,
  size: BatchSize,
): Promise<BatchBounds | null> {
  const { rows } = await database.query<BatchBounds & { isFull: boolean }>(
    `WITH ${batchSql(source, sql, size)}
     SELECT min(id) AS first, max(id) AS last, ${isFullSql(source, sql, size)} AS "isFull" FROM batch`,
    sql.values,
  );
  const [batch] = rows;
  return batch?.isFull === true ? { first: batch.first, last: batch.last } : null;
}

/**
 * Locks the first messages of the source, as many as one transaction changes.
 *
 * `= ANY` of one id leaves a nested loop as the only join with the messages of the batch. The planner expects many more
 * of them, and would read all messages there are.
 */
export async function lockBatch(
  tx: Tx,
  source: BatchSource,
  sql: SqlParameters,
  size: BatchSize,
): Promise<LockedBatch> {
  const { rows } = await tx.query<BatchMessage & { isFull: boolean }>(
    `WITH ${batchSql(source, sql, size)}
     SELECT m.id, ${shownTopicSql} AS topic, ${isFullSql(source, sql, size)} AS "isFull"
     FROM batch JOIN messages m ON m.id = ANY (ARRAY[batch.id]) ${topicJoin} ORDER BY m.id FOR UPDATE OF m`,
    sql.values,
  );
  return { messages: rows, isFull: rows[0]?.isFull === true };
}

/**
 * The rows of recipients are counted up to the limit alone. The last message is part of the batch as a whole, for any
 * number of its recipients. The limit of messages is part of the text: the planner has to know it.
 */
function batchSql(
  { select, order, before, countsRecipients, writesMissing }: BatchSource,
  sql: SqlParameters,
  size: BatchSize,
): string {
  const absent = writesMissing === true ? ` UNION ALL SELECT FROM (${missingRows('ARRAY[candidate.id]')}) missing` : '';
  const first = `SELECT id FROM (${select} ORDER BY ${indexOrder({ id: 'm.id', before }, order)} LIMIT ${size.messages}) candidate`;
  const counted = countsRecipients
    ? `${first} LEFT JOIN LATERAL (
         SELECT FROM user_messages um WHERE um.message_id = candidate.id AND um.flags >= 0${absent} OFFSET 0) received ON true
       ORDER BY id ${order} LIMIT ${sql.add(size.rows)}`
    : first;
  return `counted AS MATERIALIZED (${counted}), batch AS MATERIALIZED (SELECT DISTINCT id FROM counted)`;
}

function isFullSql({ countsRecipients }: BatchSource, sql: SqlParameters, size: BatchSize): string {
  const messages = `(SELECT count(*) FROM batch) >= ${size.messages}`;
  return countsRecipients ? `(${messages} OR (SELECT count(*) FROM counted) >= ${sql.add(size.rows)})` : messages;
}
