import type { QueueTx } from '@switchboard/queue';
import { receiverSql, storedObjectSql, type ClaimedDelivery } from '../destinations/index.js';
import { attemptValues, attemptInsert, type AttemptRecord } from './delivery-attempts.js';
import type { DueDelivery, OverdueDelivery } from './delivery-queue.js';

// A worker's clock may run ahead of the database's: a job that comes a moment early is let in.
const toleranceMs = 1_000;

/** Returns column `lane` of a queued delivery: deliveries of one object by one action are sent one after the other. */
export const orderingKey = (action: string, actionObject: string, objectType: string, object: string): string =>
  `(${action} || ' ' || ${actionObject}::text || ' ' || ${objectType} || ' ' || ${object}::text)`;

/** The queued delivery that comes after `d`, which may be over: its id. */
export const NEXT_IN_LANE = `SELECT n.id FROM webhook_deliveries n
   WHERE n.lane = ${orderingKey('d.action_type', 'd.action_object_id', 'd.object_type', 'd.object_id')}
     AND n.sequence > d.sequence ORDER BY n.sequence LIMIT 1`;

/** Holds for a queued delivery `d` while an earlier one of the same object by the same action is queued. */
export const BLOCKED = `EXISTS (
  SELECT 1 FROM webhook_deliveries e WHERE e.lane = d.lane AND e.sequence < d.sequence)`;

/** An interval of so many. */
export const milliseconds = (parameter: string): string => `make_interval(secs => ${parameter}::float8 / 1000)`;
const RECEIVER = receiverSql('action_type', 'action_object_id');
/** Columns of a {@link DueDelivery}. */
export const DUE = `id, (extract(epoch FROM next_attempt_at) * 1000)::float8 AS "dueMs",
  (greatest(0, extract(epoch FROM next_attempt_at - now())) * 1000)::float8 AS "delayMs",
  ${RECEIVER} AS receiver`;

// A claim that is lost with the server's last moments costs a repetition under the same id, as the death of the process
// that made it does: the attempt need not wait for the disk.
const CLAIM = `
  WITH relaxed AS MATERIALIZED (SELECT set_config('synchronous_commit', 'off', true) AS value),
  claimed AS (
    UPDATE webhook_deliveries d
       SET attempts = attempts + 1, last_attempt_at = now(), next_attempt_at = now() + ${milliseconds('$2')},
           waiting_for = NULL
      FROM relaxed
     WHERE relaxed.value = 'off' AND d.id = $1 AND d.status = 'queued' AND NOT ${BLOCKED}
       AND d.next_attempt_at <= now() + ${milliseconds('$3')}
    RETURNING d.id, d.attempts, d.attempts - d.requeued_after AS tries, d.payload::text AS payload, d.action_type,
              d.action_object_id)
  SELECT c.id, c.attempts AS attempt, c.tries, c.payload, c.action_type AS "actionType",
         ${storedObjectSql} AS destination
    FROM claimed c`;

const FIND_LATER = `
  SELECT ${DUE} FROM webhook_deliveries WHERE id = $1 AND status = 'queued' AND next_attempt_at > now()`;

const LIST_DUE = `
  SELECT ${DUE} FROM webhook_deliveries WHERE id = ANY ($1::uuid[]) AND status = 'queued' ORDER BY sequence`;

const OUTCOME = `response_status = $3, error = $4, duration_ms = $5`;
const OURS = `id = $1 AND attempts = $2 AND status = 'queued'`;

// The attempt is kept by the statement that records its outcome: there is never one without the other.
const recorded = (change: string, answer: string): string => `
  WITH d AS (UPDATE webhook_deliveries SET ${change}, ${OUTCOME} WHERE ${OURS} RETURNING *),
       kept AS (${attemptInsert('d', 6)})
  SELECT ${answer} FROM d`;

const FINISH = recorded('status = $13, next_attempt_at = NULL, finished = now()', 'id');
const POSTPONE = recorded(`next_attempt_at = now() + ${milliseconds('$13')}, waiting_for = 'retry'`, DUE);

// What waits for an earlier delivery goes on waiting for that; what has lost its action object can be ended at once.
const DEFER = `
  UPDATE webhook_deliveries d SET next_attempt_at = now() + ${milliseconds('$2')}, waiting_for = 'breaker',
         error = coalesce(d.error, 'The receiver ' || ${RECEIVER} || ' does not answer: its deliveries wait.')
   WHERE d.id = $1 AND d.status = 'queued' AND ${RECEIVER} IS NOT NULL AND NOT ${BLOCKED}
     AND d.next_attempt_at <= now() + ${milliseconds('$3')}
  RETURNING ${DUE}`;

const RELEASE = `
  UPDATE webhook_deliveries SET attempts = attempts - 1, next_attempt_at = now() WHERE ${OURS}`;

// Moving the moment forward gives the job that is added for it an id that no job had before.
const WAKE_NEXT = `
  UPDATE webhook_deliveries SET next_attempt_at = greatest(next_attempt_at, now())
   WHERE id = (SELECT (${NEXT_IN_LANE}) FROM webhook_deliveries d WHERE d.id = $1)
  RETURNING ${DUE}`;

/** Holds for a delivery `d` that waits for its next attempt or for its receiver, in the hands of no process. */
export const WAITS = `d.status = 'queued' AND d.waiting_for IS NOT NULL AND NOT ${BLOCKED}`;

/**
 * Assignments that make a delivery `d` due now: one that waits goes on with its attempts, one that has failed gets all
 * the attempts of the policy again.
 */
export const QUEUED_AGAIN = `status = 'queued', next_attempt_at = now(), waiting_for = NULL, finished = NULL,
  requeued_after = CASE d.status WHEN 'failed' THEN d.attempts ELSE d.requeued_after END`;

const REQUEUE = `
  UPDATE webhook_deliveries d SET ${QUEUED_AGAIN}
   WHERE id = $1 AND (status = 'failed' OR ${WAITS})
  RETURNING ${DUE}`;

// What a receiver has answered to waits for the policy of retries, not for the receiver.
const UNANSWERED = `(waiting_for = 'breaker' OR (waiting_for = 'retry' AND response_status IS NULL))`;

const LIST_WAITING_RECEIVERS = `
  SELECT DISTINCT ${RECEIVER} AS receiver FROM webhook_deliveries
   WHERE status = 'queued' AND next_attempt_at > now() AND created < to_timestamp($1::float8 / 1000) AND ${UNANSWERED}`;

const WAKE_RECEIVER = `
  UPDATE webhook_deliveries d SET next_attempt_at = now(), waiting_for = NULL
   WHERE d.next_attempt_at > now() AND ${WAITS} AND ${UNANSWERED} AND ${RECEIVER} = $1
  RETURNING ${DUE}`;

const LIST_OVERDUE = `
  SELECT ${DUE}, attempts, sequence FROM webhook_deliveries d
   WHERE status = 'queued' AND next_attempt_at < now() - ${milliseconds('$1')} AND sequence > $2 AND NOT ${BLOCKED}
   ORDER BY sequence LIMIT $3`;

// Asked again, for another sweep may have been quicker: then its moment is no longer so long ago.
const RENEW = `
  UPDATE webhook_deliveries SET next_attempt_at = now()
   WHERE id = ANY ($1::uuid[]) AND status = 'queued' AND next_attempt_at < now() - ${milliseconds('$2')}
  RETURNING ${DUE}`;

/**
 * Takes a delivery for one attempt, or returns null: it is finished, not due, in the hands of another, or waits for an
 * earlier delivery of the same object by the same action. Should this process die, the delivery is overdue once
 * `leaseMs` have passed, and is sent again under the same id.
 */
export async function claimDelivery(tx: QueueTx, id: string, leaseMs: number): Promise<ClaimedDelivery | null> {
  const { rows } = await tx.query<ClaimedDelivery>(CLAIM, [id, leaseMs, toleranceMs]);
  return rows[0] ?? null;
}

/** Finds a delivery that is due later: its job ran early, or another process claimed it and may have died. */
export async function findLaterDelivery(tx: QueueTx, id: string): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(FIND_LATER, [id])).rows;
}

/** Those of the deliveries that are queued, and when each is due, in the order of creation. */
export async function listDueDeliveries(tx: QueueTx, ids: readonly string[]): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(LIST_DUE, [ids])).rows;
}

/** Records the last attempt. Returns false and changes nothing if another attempt has taken over the lease. */
export async function finishDelivery(
  tx: QueueTx,
  delivery: ClaimedDelivery,
  status: 'succeeded' | 'failed',
  record: AttemptRecord,
): Promise<boolean> {
  return (await tx.query(FINISH, [...outcomeOf(delivery, record), status])).rows.length > 0;
}

/** Records a failed attempt that another follows. Returns when, or nothing when the lease was lost. */
export async function postponeDelivery(
  tx: QueueTx,
  delivery: ClaimedDelivery,
  delayMs: number,
  record: AttemptRecord,
): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(POSTPONE, [...outcomeOf(delivery, record), delayMs])).rows;
}

/**
 * Defers a delivery to a suspended receiver, without counting an attempt. Returns its due time, or nothing if it cannot
 * be claimed or its action object is deleted.
 */
export async function deferDelivery(tx: QueueTx, id: string, delayMs: number): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(DEFER, [id, delayMs, toleranceMs])).rows;
}

/** Releases a delivery whose attempt was aborted by the shutdown of the process, without counting the attempt. */
export async function releaseDelivery(tx: QueueTx, delivery: ClaimedDelivery): Promise<void> {
  await tx.query(RELEASE, [delivery.id, delivery.attempt]);
}

/** The delivery that waited for this finished one, if any. To be called after that was committed. */
export async function wakeNextDelivery(tx: QueueTx, finishedId: string): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(WAKE_NEXT, [finishedId])).rows;
}

/** Lists receivers that did not respond and that deliveries from before a moment wait for. */
export async function listWaitingReceivers(tx: QueueTx, beforeMs: number): Promise<string[]> {
  const { rows } = await tx.query<{ receiver: string | null }>(LIST_WAITING_RECEIVERS, [beforeMs]);
  return rows.flatMap(({ receiver }) => (receiver === null ? [] : [receiver]));
}

/** Makes deliveries due that wait for an unresponsive receiver. */
export async function wakeReceiver(tx: QueueTx, receiver: string): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(WAKE_RECEIVER, [receiver])).rows;
}

/**
 * Makes a failed delivery due with all attempts, or a waiting one immediately. Does nothing if it is unknown,
 * successful, running, or behind another of its object.
 */
export async function requeueDelivery(tx: QueueTx, id: string): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(REQUEUE, [id])).rows;
}

/** Up to `limit` deliveries after `sequence` that have been due for `overdueMs` and wait for no other, oldest first. */
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

/** Makes overdue deliveries due now, each at most once in `overdueMs` across all processes. */
export async function renewDeliveries(tx: QueueTx, ids: readonly string[], overdueMs: number): Promise<DueDelivery[]> {
  return (await tx.query<DueDelivery>(RENEW, [ids, overdueMs])).rows;
}

function outcomeOf({ id, attempt }: ClaimedDelivery, record: AttemptRecord): unknown[] {
  return [id, attempt, ...attemptValues(record)];
}
