import { attemptInsert } from './attempt-record.js';
import type { DeliveryTables } from './endpoint-source.js';

/** Returns the SQL expression of an interval, given a parameter in milliseconds. */
export const millisecondsInterval = (parameter: string): string => `make_interval(secs => ${parameter}::float8 / 1000)`;

/**
 * SQL condition that a delivery `d`, which is selected by its id, is queued. It matches no partial index. With statistics
 * of an empty table the planner might otherwise read all queued deliveries instead of one.
 */
const isQueuedSql = `(d.status = 'queued')::int <> 0`;

/** SQL condition that `d` is the delivery $1, queued, and that its attempt $2 is the last one. */
const IS_CURRENT_ATTEMPT = `d.id = $1 AND d.attempts = $2 AND ${isQueuedSql}`;

// A receiver that did respond is not awaited: its deliveries follow the retry policy.
const WAITS_FOR_RECEIVER = `(d.waiting_for = 'breaker' OR (d.waiting_for = 'retry' AND d.response_status IS NULL))`;

/**
 * SQL assignments that make a delivery `d` due now. A waiting delivery continues with its remaining attempts. A failed
 * delivery gets all attempts of the retry policy again.
 */
export const queueAgainSql = `status = 'queued', next_attempt_at = now(), waiting_for = NULL, finished = NULL,
  requeued_after = CASE d.status WHEN 'failed' THEN d.attempts ELSE d.requeued_after END`;

/** SQL texts about the deliveries of some tables. The delivery is always the alias `d`. */
export interface DeliverySql {
  /** Columns of a `DueDelivery`. */
  readonly dueColumns: string;
  /** Condition that an earlier delivery with the same order key is queued. */
  readonly isBlocked: string;
  /** Subquery for the id of the next queued delivery with the same order key. `d` may be finished. */
  readonly nextInLane: string;
  /** Condition that a delivery is not being sent, but waits for its next attempt or for its receiver. */
  readonly isWaiting: string;
  /** Statements of `DeliveryStore`, by name. */
  readonly statements: Readonly<Record<StatementName, string>>;
}

type StatementName =
  | 'claim'
  | 'findLater'
  | 'listDue'
  | 'listUnblocked'
  | 'finish'
  | 'postpone'
  | 'defer'
  | 'release'
  | 'wakeNext'
  | 'requeue'
  | 'listWaitingReceivers'
  | 'wakeReceiver'
  | 'listOverdue'
  | 'renew';

/** Returns the SQL texts for the given tables. */
export function deliverySql(tables: DeliveryTables): DeliverySql {
  const { deliveries, laneSql, receiverSql } = tables;
  const dueColumns = `d.id, (extract(epoch FROM d.next_attempt_at) * 1000)::float8 AS "dueMs",
  (greatest(0, extract(epoch FROM d.next_attempt_at - now())) * 1000)::float8 AS "delayMs",
  ${receiverSql('d')} AS receiver`;
  // Comparisons of (lane, sequence) in this order can only be read by the index of both, whatever the statistics are.
  const isBlocked = `(
  SELECT e.sequence FROM ${deliveries} e WHERE e.lane >= d.lane AND (e.lane, e.sequence) < (d.lane, d.sequence)
   ORDER BY e.lane, e.sequence LIMIT 1) IS NOT NULL`;
  const nextInLane = `SELECT n.id FROM ${deliveries} n
   WHERE n.lane <= ${laneSql('d')} AND (n.lane, n.sequence) > (${laneSql('d')}, d.sequence)
   ORDER BY n.lane, n.sequence LIMIT 1`;
  const isWaiting = `d.status = 'queued' AND d.waiting_for IS NOT NULL AND NOT (${isBlocked})`;
  const pieces = { dueColumns, isBlocked, nextInLane, isWaiting };
  return {
    ...pieces,
    statements: {
      ...attemptStatements(tables, pieces),
      ...waitingStatements(tables, pieces),
    },
  };
}

type SqlPieces = Omit<DeliverySql, 'statements'>;

/** Returns the statements that claim a delivery and record its attempt. */
function attemptStatements(tables: DeliveryTables, { dueColumns, isBlocked }: SqlPieces) {
  const { deliveries, targetSql } = tables;
  // One statement records both the outcome and the attempt, so that neither is stored without the other.
  const record = (change: string, columns: string): string => `
  WITH d AS (
         UPDATE ${deliveries} d SET ${change}, response_status = $3, error = $4, duration_ms = $5
          WHERE ${IS_CURRENT_ATTEMPT} RETURNING d.*),
       kept AS (${attemptInsert(tables, 'd', 6)})
  SELECT ${columns} FROM d`;
  return {
    // If the database server crashes and loses a claim, the delivery is sent again under the same id, as after a crash
    // of the claiming process. So the commit need not wait for the disk.
    claim: `
  WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS value),
  c AS (
    UPDATE ${deliveries} d
       SET attempts = attempts + 1, last_attempt_at = now(), next_attempt_at = now() + ${millisecondsInterval('$2')},
           waiting_for = NULL
      FROM relaxed
     WHERE relaxed.value = 'off' AND d.id = $1 AND ${isQueuedSql} AND NOT (${isBlocked})
       AND d.next_attempt_at <= now() + ${millisecondsInterval('$3')}
    RETURNING d.*)
  SELECT c.id, c.attempts AS attempt, c.attempts - c.requeued_after AS tries, c.payload::text AS payload,
         ${targetSql('c')} AS target
    FROM c`,
    finish: record('status = $13, next_attempt_at = NULL, finished = now()', 'd.id'),
    postpone: record(`next_attempt_at = now() + ${millisecondsInterval('$13')}, waiting_for = 'retry'`, dueColumns),
    release: `
  UPDATE ${deliveries} d SET attempts = attempts - 1, next_attempt_at = now() WHERE ${IS_CURRENT_ATTEMPT}`,
  };
}

/** Returns the statements about deliveries that wait or are due. */
function waitingStatements(tables: DeliveryTables, { dueColumns, isBlocked, isWaiting, nextInLane }: SqlPieces) {
  const { deliveries, receiverSql } = tables;
  return {
    findLater: `
  SELECT ${dueColumns} FROM ${deliveries} d WHERE d.id = $1 AND ${isQueuedSql} AND d.next_attempt_at > now()`,
    // The sum matches no index, so that the planner does not walk over all deliveries in their order.
    listDue: `
  SELECT ${dueColumns} FROM ${deliveries} d WHERE d.id = ANY ($1::uuid[]) AND ${isQueuedSql}
   ORDER BY d.sequence + 0`,
    listUnblocked: `
  SELECT d.id FROM ${deliveries} d WHERE d.id = ANY ($1::uuid[]) AND ${isQueuedSql} AND NOT (${isBlocked})`,
    // A delivery that waits for an earlier one keeps waiting for it. One whose endpoint was deleted is not deferred and
    // fails immediately.
    defer: `
  UPDATE ${deliveries} d SET next_attempt_at = now() + ${millisecondsInterval('$2')}, waiting_for = 'breaker',
         error = coalesce(d.error, 'The receiver ' || ${receiverSql('d')} || ' does not respond: its deliveries wait.')
   WHERE d.id = $1 AND ${isQueuedSql} AND ${receiverSql('d')} IS NOT NULL AND NOT (${isBlocked})
     AND d.next_attempt_at <= now() + ${millisecondsInterval('$3')}
  RETURNING ${dueColumns}`,
    // The new due time gives the delivery's next job an unused id.
    wakeNext: `
  UPDATE ${deliveries} d SET next_attempt_at = greatest(next_attempt_at, now())
   WHERE d.id = (SELECT (${nextInLane}) FROM ${deliveries} d WHERE d.id = $1)
  RETURNING ${dueColumns}`,
    requeue: `
  UPDATE ${deliveries} d SET ${queueAgainSql}
   WHERE d.id = $1 AND (d.status = 'failed' OR ${isWaiting})
  RETURNING ${dueColumns}`,
    listWaitingReceivers: `
  SELECT DISTINCT ${receiverSql('d')} AS receiver FROM ${deliveries} d
   WHERE d.status = 'queued' AND d.next_attempt_at > now() AND d.created < to_timestamp($1::float8 / 1000)
     AND ${WAITS_FOR_RECEIVER}`,
    wakeReceiver: `
  UPDATE ${deliveries} d SET next_attempt_at = now(), waiting_for = NULL
   WHERE d.next_attempt_at > now() AND ${isWaiting} AND ${WAITS_FOR_RECEIVER} AND ${receiverSql('d')} = $1
  RETURNING ${dueColumns}`,
    listOverdue: `
  SELECT ${dueColumns}, d.attempts, d.sequence FROM ${deliveries} d
   WHERE d.status = 'queued' AND d.next_attempt_at < now() - ${millisecondsInterval('$1')} AND d.sequence > $2
     AND NOT (${isBlocked})
   ORDER BY d.sequence LIMIT $3`,
    // The due time is compared again, because another sweep may have renewed the delivery.
    renew: `
  UPDATE ${deliveries} d SET next_attempt_at = now()
   WHERE d.id = ANY ($1::uuid[]) AND ${isQueuedSql} AND d.next_attempt_at < now() - ${millisecondsInterval('$2')}
  RETURNING ${dueColumns}`,
  };
}
