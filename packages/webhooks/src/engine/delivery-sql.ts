import { createInsertAttemptSql } from './attempt-record.js';
import type { DeliveryTables } from './endpoint-source.js';

/** Returns an SQL expression that converts a parameter in milliseconds to an interval. */
export const millisecondsInterval = (parameter: string): string => `make_interval(secs => ${parameter}::float8 / 1000)`;

/**
 * Returns the SQL condition in a form that matches no index. With statistics of an empty table the planner might
 * otherwise read all deliveries of a partial index instead of the selected deliveries.
 */
const createUnindexedConditionSql = (condition: string): string => `coalesce((${condition})::int, 0) <> 0`;

/** SQL condition that a delivery `d` is queued, in a statement that selects the delivery by id. */
const isWebhookDeliveryQueuedSql = createUnindexedConditionSql(`d.status = 'queued'`);

/** SQL condition that `d` is the queued delivery with id $1, and that attempt $2 is its last attempt. */
const IS_CURRENT_DELIVERY_ATTEMPT_SQL = `d.id = $1 AND d.attempts = $2 AND ${isWebhookDeliveryQueuedSql}`;

// A receiver that did respond is not awaited: its deliveries follow the retry policy.
const IS_DELIVERY_AWAITING_RECEIVER_SQL = createUnindexedConditionSql(
  `d.waiting_for = 'breaker' OR (d.waiting_for = 'retry' AND d.response_status IS NULL)`,
);

/** SQL expression for the first column of the index of due deliveries: 1 for a waiting delivery `d`, else 0. */
const isDeliveryWaitingSql = '(d.waiting_for IS NOT NULL)::int';

/**
 * SQL assignments of an UPDATE that make a delivery `d` due now. A waiting delivery continues with its remaining
 * attempts. A failed delivery gets all attempts of the retry policy again.
 */
export const requeueDeliveryAssignmentsSql = `status = 'queued', next_attempt_at = now(), waiting_for = NULL, finished = NULL,
  requeued_after = CASE d.status WHEN 'failed' THEN d.attempts ELSE d.requeued_after END`;

/** SQL texts about the deliveries in the given tables. The alias of a delivery is always `d`. */
export interface WebhookDeliverySql {
  /** SQL columns that make up a `WebhookDeliveryNeedingJob`. */
  readonly dueColumns: string;
  /** SQL condition that an earlier delivery with the same order key is queued. */
  readonly isBlocked: string;
  /**
   * SQL subquery for the id of the next queued delivery with the order key of delivery `d`. `d` itself may be finished.
   */
  readonly nextInLane: string;
  /** SQL condition that a delivery is not being sent, but waits for its next attempt or for its receiver. */
  readonly isWaiting: string;
  /**
   * SQL condition that a delivery is being sent. An attempt ends by removing `next_attempt_at`, or by setting
   * `waiting_for`.
   */
  readonly isBeingSent: string;
  /** SQL statements of `DeliveryStore`, by name. */
  readonly statements: Readonly<Record<DeliverySqlStatementName, string>>;
}

type DeliverySqlStatementName =
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

/** Returns the SQL texts for the deliveries in the given tables. */
export function createWebhookDeliverySql(tables: DeliveryTables): WebhookDeliverySql {
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
  const isWaiting = `${isWebhookDeliveryQueuedSql} AND ${createUnindexedConditionSql('d.waiting_for IS NOT NULL')} AND NOT (${isBlocked})`;
  const isBeingSent = `d.next_attempt_at IS NOT NULL AND ${isDeliveryWaitingSql} = 0 AND d.next_attempt_at > now()`;
  const pieces = { dueColumns, isBlocked, nextInLane, isWaiting, isBeingSent };
  return {
    ...pieces,
    statements: {
      ...createAttemptOutcomeStatements(tables, pieces),
      ...createWaitingDeliveryStatements(tables, pieces),
    },
  };
}

type DeliverySqlFragments = Omit<WebhookDeliverySql, 'statements'>;

/** Returns the SQL statements that claim a delivery for an attempt and record the outcome of the attempt. */
function createAttemptOutcomeStatements(tables: DeliveryTables, { dueColumns, isBlocked }: DeliverySqlFragments) {
  const { deliveries, targetSql } = tables;
  // One statement records both the outcome and the attempt, so that neither is stored without the other.
  const record = (change: string, columns: string): string => `
  WITH d AS (
         UPDATE ${deliveries} d SET ${change}, response_status = $3, error = $4, duration_ms = $5
          WHERE ${IS_CURRENT_DELIVERY_ATTEMPT_SQL} RETURNING d.*),
       kept AS (${createInsertAttemptSql(tables, 'd', 6)})
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
     WHERE relaxed.value = 'off' AND d.id = $1 AND ${isWebhookDeliveryQueuedSql} AND NOT (${isBlocked})
       AND d.next_attempt_at <= now() + ${millisecondsInterval('$3')}
    RETURNING d.*)
  SELECT c.id, c.attempts AS attempt, c.attempts - c.requeued_after AS tries, c.payload::text AS payload,
         ${targetSql('c')} AS target
    FROM c`,
    finish: record('status = $13, next_attempt_at = NULL, finished = now()', 'd.id'),
    postpone: record(`next_attempt_at = now() + ${millisecondsInterval('$13')}, waiting_for = 'retry'`, dueColumns),
    release: `
  UPDATE ${deliveries} d SET attempts = attempts - 1, next_attempt_at = now() WHERE ${IS_CURRENT_DELIVERY_ATTEMPT_SQL}`,
  };
}

/** Returns the SQL statements about deliveries that wait or are due. */
function createWaitingDeliveryStatements(
  tables: DeliveryTables,
  { dueColumns, isBlocked, isWaiting, nextInLane }: DeliverySqlFragments,
) {
  const { deliveries, receiverSql } = tables;
  const waitingEndpoints = createWaitingEndpointsSql(tables);
  return {
    findLater: `
  SELECT ${dueColumns} FROM ${deliveries} d WHERE d.id = $1 AND ${isWebhookDeliveryQueuedSql} AND d.next_attempt_at > now()`,
    // The sum matches no index, so that the planner does not walk over all deliveries in their order.
    listDue: `
  SELECT ${dueColumns} FROM ${deliveries} d WHERE d.id = ANY ($1::uuid[]) AND ${isWebhookDeliveryQueuedSql}
   ORDER BY d.sequence + 0`,
    listUnblocked: `
  SELECT d.id FROM ${deliveries} d WHERE d.id = ANY ($1::uuid[]) AND ${isWebhookDeliveryQueuedSql} AND NOT (${isBlocked})`,
    // A delivery that waits for an earlier one keeps waiting for it. One whose endpoint was deleted is not deferred and
    // fails immediately.
    defer: `
  UPDATE ${deliveries} d SET next_attempt_at = now() + ${millisecondsInterval('$2')}, waiting_for = 'breaker',
         error = coalesce(d.error, 'The receiver ' || ${receiverSql('d')} || ' does not respond: its deliveries wait.')
   WHERE d.id = $1 AND ${isWebhookDeliveryQueuedSql} AND ${receiverSql('d')} IS NOT NULL AND NOT (${isBlocked})
     AND d.next_attempt_at <= now() + ${millisecondsInterval('$3')}
  RETURNING ${dueColumns}`,
    // The new due time gives the delivery's next job an unused id.
    wakeNext: `
  UPDATE ${deliveries} d SET next_attempt_at = greatest(next_attempt_at, now())
   WHERE d.id = (SELECT (${nextInLane}) FROM ${deliveries} d WHERE d.id = $1)
  RETURNING ${dueColumns}`,
    requeue: `
  UPDATE ${deliveries} d SET ${requeueDeliveryAssignmentsSql}
   WHERE d.id = $1 AND (d.status = 'failed' OR ${isWaiting})
  RETURNING ${dueColumns}`,
    listWaitingReceivers: `
  WITH RECURSIVE ${waitingEndpoints}
  SELECT DISTINCT n.receiver FROM endpoint n, LATERAL (
    SELECT FROM ${deliveries} d
     WHERE d.waiting_for IS NOT NULL AND ${tables.endpointSql('d')} = n.id AND ${createUnindexedConditionSql('d.next_attempt_at > now()')}
       AND ${createUnindexedConditionSql('d.created < to_timestamp($1::float8 / 1000)')} AND ${IS_DELIVERY_AWAITING_RECEIVER_SQL} LIMIT 1) w`,
    // Rows are updated by their positions, so that no statistics make the planner read all waiting deliveries.
    wakeReceiver: `
  WITH RECURSIVE ${waitingEndpoints}
  UPDATE ${deliveries} d SET next_attempt_at = now(), waiting_for = NULL
   WHERE d.ctid = ANY (ARRAY(
           SELECT w.ctid FROM endpoint n, LATERAL (
             SELECT d.ctid FROM ${deliveries} d
              WHERE d.waiting_for IS NOT NULL AND ${tables.endpointSql('d')} = n.id
              ORDER BY ${tables.endpointSql('d')} FOR UPDATE) w
            WHERE n.receiver = $1))
     AND ${createUnindexedConditionSql('d.next_attempt_at > now()')} AND ${isWaiting} AND ${IS_DELIVERY_AWAITING_RECEIVER_SQL}
     AND ${receiverSql('d')} = $1
  RETURNING ${dueColumns}`,
    // Both comparisons of rows can be read only by the index of due deliveries. The planner does not see the limit, with
    // which it might read and sort all of them.
    listOverdue: `
  SELECT ${dueColumns}, d.attempts, d.sequence, ${isDeliveryWaitingSql} AS waits, d.next_attempt_at::text AS "dueAt",
         ${isBlocked} AS "isBlocked"
    FROM ${deliveries} d
   WHERE d.next_attempt_at IS NOT NULL AND ${isWebhookDeliveryQueuedSql}
     AND (${isDeliveryWaitingSql}, d.next_attempt_at, d.sequence) > ($2::int, $3::timestamptz, $4::bigint)
     AND (${isDeliveryWaitingSql}, d.next_attempt_at) < ($2::int, now() - ${millisecondsInterval('$1')})
   ORDER BY ${isDeliveryWaitingSql}, d.next_attempt_at, d.sequence LIMIT (SELECT $5::int)`,
    // The due time is compared again, because another sweep may have renewed the delivery.
    renew: `
  UPDATE ${deliveries} d SET next_attempt_at = now()
   WHERE d.id = ANY ($1::uuid[]) AND ${isWebhookDeliveryQueuedSql}
     AND ${createUnindexedConditionSql(`d.next_attempt_at < now() - ${millisecondsInterval('$2')}`)}
  RETURNING ${dueColumns}`,
  };
}

/**
 * Returns the part of an SQL clause WITH RECURSIVE that defines `endpoint`. `endpoint` contains the id and the receiver
 * of each endpoint with a waiting delivery. The query reads only one delivery of each endpoint.
 */
function createWaitingEndpointsSql({ deliveries, endpointSql, receiverSql }: DeliveryTables): string {
  const next = (condition: string): string => `
    SELECT ${endpointSql('d')} AS id, ${receiverSql('d')} AS receiver FROM ${deliveries} d
     WHERE d.waiting_for IS NOT NULL AND ${condition} ORDER BY ${endpointSql('d')} LIMIT 1`;
  return `endpoint AS (
    (${next(`${endpointSql('d')} IS NOT NULL`)})
    UNION ALL
    SELECT n.id, n.receiver FROM endpoint p, LATERAL (${next(`${endpointSql('d')} > p.id`)}) n)`;
}
