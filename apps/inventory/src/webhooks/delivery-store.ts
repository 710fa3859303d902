import type { QueueTx } from '@switchboard/queue';
import { receiverSql, storedObjectSql, type ClaimedDelivery } from '../destinations/index.js';
import { attemptValues, attemptInsert, type AttemptRecord } from './delivery-attempts.js';
import type { DueDelivery, OverdueDelivery } from './delivery-queue.js';

// Milliseconds by which a delivery may be claimed early, because a worker's clock may be ahead of the database's.
const toleranceMs = 1_000;

/**
 * Returns the SQL expression of the column `lane` of a queued delivery. Deliveries about one object by one action have
 * the same value and are sent one after another.
 */
export const orderingKeySql = (action: string, actionObject: string, objectType: string, object: string): string =>
  `(${action} || ' ' || ${actionObject}::text || ' ' || ${objectType} || ' ' || ${object}::text)`;

/** SQL subquery for the id of the next queued delivery after `d` with the same ordering key. `d` may be finished. */
export const NEXT_IN_LANE_SQL = `SELECT n.id FROM webhook_deliveries n
   WHERE n.lane = ${orderingKeySql('d.action_type', 'd.action_object_id', 'd.object_type', 'd.object_id')}
     AND n.sequence > d.sequence ORDER BY n.sequence LIMIT 1`;

/** SQL condition that an earlier delivery with the same ordering key as `d` is queued. */
export const IS_BLOCKED_SQL = `EXISTS (
  SELECT 1 FROM webhook_deliveries e WHERE e.lane = d.lane AND e.sequence < d.sequence)`;

/** Returns the SQL expression of an interval, given a parameter in milliseconds. */
export const millisecondsInterval = (parameter: string): string => `make_interval(secs => ${parameter}::float8 / 1000)`;
const RECEIVER_SQL = receiverSql('action_type', 'action_object_id');
/** SQL of the columns of a {@link DueDelivery}. */
export const DUE_COLUMNS_SQL = `id, (extract(epoch FROM next_attempt_at) * 1000)::float8 AS "dueMs",
  (greatest(0, extract(epoch FROM next_attempt_at - now())) * 1000)::float8 AS "delayMs",
  ${RECEIVER_SQL} AS receiver`;

// If the database server crashes and loses a claim, the delivery is sent again under the same id, as after a crash of
// the claiming process. So the commit need not wait for the disk.
const CLAIM_DELIVERY = `
  WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS value),
  claimed AS (
    UPDATE webhook_deliveries d
       SET attempts = attempts + 1, last_attempt_at = now(), next_attempt_at = now() + ${millisecondsInterval('$2')},
           waiting_for = NULL
      FROM relaxed
     WHERE relaxed.value = 'off' AND d.id = $1 AND d.status = 'queued' AND NOT ${IS_BLOCKED_SQL}
       AND d.next_attempt_at <= now() + ${millisecondsInterval('$3')}
    RETURNING d.id, d.attempts, d.attempts - d.requeued_after AS tries, d.payload::text AS payload, d.action_type,
              d.action_object_id)
  SELECT c.id, c.attempts AS attempt, c.tries, c.payload, c.action_type AS "actionType",
         ${storedObjectSql} AS destination
    FROM claimed c`;

const FIND_LATER = `
  SELECT ${DUE_COLUMNS_SQL} FROM webhook_deliveries WHERE id = $1 AND status = 'queued' AND next_attempt_at > now()`;

const LIST_DUE = `
  SELECT ${DUE_COLUMNS_SQL} FROM webhook_deliveries WHERE id = ANY ($1::uuid[]) AND status = 'queued' ORDER BY sequence`;

const SET_OUTCOME = `response_status = $3, error = $4, duration_ms = $5`;
const IS_CURRENT_ATTEMPT = `id = $1 AND attempts = $2 AND status = 'queued'`;

// One statement records both the outcome and the attempt, so that neither is stored without the other.
const recordAttemptSql = (change: string, columns: string): string => `
  WITH d AS (UPDATE webhook_deliveries SET ${change}, ${SET_OUTCOME} WHERE ${IS_CURRENT_ATTEMPT} RETURNING *),
       kept AS (${attemptInsert('d', 6)})
  SELECT ${columns} FROM d`;

const FINISH_DELIVERY = recordAttemptSql('status = $13, next_attempt_at = NULL, finished = now()', 'id');
const POSTPONE_DELIVERY = recordAttemptSql(
  `next_attempt_at = now() + ${millisecondsInterval('$13')}, waiting_for = 'retry'`,
  DUE_COLUMNS_SQL,
);

// A delivery that waits for an earlier one keeps waiting for it. One whose action object was deleted is not deferred
// and fails immediately.
const DEFER_DELIVERY = `
  UPDATE webhook_deliveries d SET next_attempt_at = now() + ${millisecondsInterval('$2')}, waiting_for = 'breaker',
         error = coalesce(d.error, 'The receiver ' || ${RECEIVER_SQL} || ' does not respond: its deliveries wait.')
   WHERE d.id = $1 AND d.status = 'queued' AND ${RECEIVER_SQL} IS NOT NULL AND NOT ${IS_BLOCKED_SQL}
     AND d.next_attempt_at <= now() + ${millisecondsInterval('$3')}
  RETURNING ${DUE_COLUMNS_SQL}`;

const RELEASE_DELIVERY = `
  UPDATE webhook_deliveries SET attempts = attempts - 1, next_attempt_at = now() WHERE ${IS_CURRENT_ATTEMPT}`;

// The new due time gives the delivery's next job an unused id.
const WAKE_NEXT = `
  UPDATE webhook_deliveries SET next_attempt_at = greatest(next_attempt_at, now())
   WHERE id = (SELECT (${NEXT_IN_LANE_SQL}) FROM webhook_deliveries d WHERE d.id = $1)
  RETURNING ${DUE_COLUMNS_SQL}`;

/** SQL condition that a delivery `d` is not being sent, but waits for its next attempt or for its receiver. */
export const IS_WAITING_SQL = `d.status = 'queued' AND d.waiting_for IS NOT NULL AND NOT ${IS_BLOCKED_SQL}`;

/**
 * SQL assignments that make a delivery `d` due now. A waiting delivery continues with its remaining attempts. A failed
 * delivery gets all attempts of the retry policy again.
 */
export const QUEUE_AGAIN_SQL = `status = 'queued', next_attempt_at = now(), waiting_for = NULL, finished = NULL,
  requeued_after = CASE d.status WHEN 'failed' THEN d.attempts ELSE d.requeued_after END`;

const REQUEUE_DELIVERY = `
  UPDATE webhook_deliveries d SET ${QUEUE_AGAIN_SQL}
   WHERE id = $1 AND (status = 'failed' OR ${IS_WAITING_SQL})
  RETURNING ${DUE_COLUMNS_SQL}`;

// A receiver that did respond is not awaited: its deliveries follow the retry policy.
const WAITS_FOR_RECEIVER = `(waiting_for = 'breaker' OR (waiting_for = 'retry' AND response_status IS NULL))`;

const LIST_WAITING_RECEIVERS = `
  SELECT DISTINCT ${RECEIVER_SQL} AS receiver FROM webhook_deliveries
   WHERE status = 'queued' AND next_attempt_at > now() AND created < to_timestamp($1::float8 / 1000) AND ${WAITS_FOR_RECEIVER}`;

const WAKE_RECEIVER = `
  UPDATE webhook_deliveries d SET next_attempt_at = now(), waiting_for = NULL
   WHERE d.next_attempt_at > now() AND ${IS_WAITING_SQL} AND ${WAITS_FOR_RECEIVER} AND ${RECEIVER_SQL} = $1
  RETURNING ${DUE_COLUMNS_SQL}`;

const LIST_OVERDUE = `
  SELECT ${DUE_COLUMNS_SQL}, attempts, sequence FROM webhook_deliveries d
   WHERE status = 'queued' AND next_attempt_at < now() - ${millisecondsInterval('$1')} AND sequence > $2 AND NOT ${IS_BLOCKED_SQL}
   ORDER BY sequence LIMIT $3`;

// The due time is compared again, because another sweep may have renewed the delivery.
const RENEW_CLAIM = `
  UPDATE webhook_deliveries SET next_attempt_at = now()
   WHERE id = ANY ($1::uuid[]) AND status = 'queued' AND next_attempt_at < now() - ${millisecondsInterval('$2')}
  RETURNING ${DUE_COLUMNS_SQL}`;

/**
 * Claims a delivery for one attempt. Returns null if it is finished, not due, claimed by another process, or waiting
 * for an earlier delivery of the same object by the same action. If this process dies, the delivery is overdue after
 * `leaseMs`, and is sent again under the same id.
 */
export async function claimDelivery(tx: QueueTx, id: string, leaseMs: number): Promise<ClaimedDelivery | null> {
  const { rows } = await tx.query<ClaimedDelivery>(CLAIM_DELIVERY, [id, leaseMs, toleranceMs]);
  return rows[0] ?? null;
}

/**
 * Returns a delivery that is due later, so that its job can be added again. Either its job ran too early, or another
 * process claimed the delivery and may have died. Returns an empty list for other deliveries.
 */
export async function findLaterDelivery(tx: QueueTx, id: string): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(FIND_LATER, [id])).rows;
}

/** Returns the queued deliveries among the given ones, with their due times, in the order of creation. */
export async function listDueDeliveries(tx: QueueTx, ids: readonly string[]): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(LIST_DUE, [ids])).rows;
}

/** Records the final attempt of a delivery. Returns false and changes nothing if a later attempt was claimed. */
export async function finishDelivery(
  tx: QueueTx,
  delivery: ClaimedDelivery,
  status: 'succeeded' | 'failed',
  record: AttemptRecord,
): Promise<boolean> {
  return (await tx.query(FINISH_DELIVERY, [...updatedDeliveryOf(delivery, record), status])).rows.length > 0;
}

/**
 * Records a failed attempt of a delivery and schedules the next attempt. Returns the delivery with its new due time, or
 * an empty list if a later attempt was claimed.
 */
export async function postponeDelivery(
  tx: QueueTx,
  delivery: ClaimedDelivery,
  delayMs: number,
  record: AttemptRecord,
): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(POSTPONE_DELIVERY, [...updatedDeliveryOf(delivery, record), delayMs])).rows;
}

/**
 * Defers a delivery whose receiver is suspended, without counting an attempt. Returns its due time, or nothing if it
 * cannot be claimed or its action object was deleted.
 */
export async function deferDelivery(tx: QueueTx, id: string, delayMs: number): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(DEFER_DELIVERY, [id, delayMs, toleranceMs])).rows;
}

/** Releases a delivery whose attempt was aborted because the process stops. The attempt is not counted. */
export async function releaseDelivery(tx: QueueTx, delivery: ClaimedDelivery): Promise<void> {
  await tx.query(RELEASE_DELIVERY, [delivery.id, delivery.attempt]);
}

/**
 * Makes the delivery that waited for a finished delivery due now, and returns it. Returns an empty list if no delivery
 * waited. Call it after the outcome of the finished delivery is committed.
 */
export async function wakeNextDelivery(tx: QueueTx, finishedId: string): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(WAKE_NEXT, [finishedId])).rows;
}

/** Lists unresponsive receivers that have waiting deliveries created before `beforeMs`. */
export async function listWaitingReceivers(tx: QueueTx, beforeMs: number): Promise<string[]> {
  const { rows } = await tx.query<{ receiver: string | null }>(LIST_WAITING_RECEIVERS, [beforeMs]);
  return rows.flatMap(({ receiver }) => (receiver === null ? [] : [receiver]));
}

/** Makes all deliveries that wait for an unresponsive receiver due now. */
export async function wakeReceiver(tx: QueueTx, receiver: string): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(WAKE_RECEIVER, [receiver])).rows;
}

/**
 * Makes a failed delivery due now with all attempts of the retry policy, or a waiting delivery with its remaining
 * attempts. Does nothing for a delivery that is unknown, successful, being sent, or waiting for an earlier delivery.
 */
export async function requeueDelivery(tx: QueueTx, id: string): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(REQUEUE_DELIVERY, [id])).rows;
}

/**
 * Returns up to `limit` deliveries that have been overdue for `overdueMs` and do not wait for another delivery, oldest
 * first. Only deliveries with a number above `sequence` are included.
 */
export async function listOverdueDeliveries(
  tx: QueueTx,
  { overdueMs, sequence, limit }: { overdueMs: number; sequence: number; limit: number },
): Promise<(OverdueDelivery & { readonly sequence: number })[]> {
  const { rows } = await tx.query<OverdueDelivery & { sequence: number | string }>(LIST_OVERDUE, [
    overdueMs,
    sequence,
    limit,
  ]);
  return rows.map((row) => ({ ...row, sequence: Number(row.sequence) }));
}

/** Makes overdue deliveries due now. Each is renewed at most once per `overdueMs` by all processes together. */
export async function renewDeliveries(tx: QueueTx, ids: readonly string[], overdueMs: number): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(RENEW_CLAIM, [ids, overdueMs])).rows;
}

function updatedDeliveryOf({ id, attempt }: ClaimedDelivery, record: AttemptRecord): unknown[] {
  return [id, attempt, ...attemptValues(record)];
}
