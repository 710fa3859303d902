import type { QueueTx } from '@switchboard/queue';
import type { WebhookDeliveryNeedingJob } from '@switchboard/webhooks';
import { createDeliveryStore } from './delivery-tables.js';

/**
 * States of a webhook delivery that is shown as a background task. A `deferred` delivery waits for an earlier delivery.
 * A `scheduled` delivery waits for its next attempt.
 */
export const backgroundTaskStatuses = [
  'queued',
  'started',
  'deferred',
  'scheduled',
  'finished',
  'failed',
  'stopped',
  'canceled',
] as const;

/** State of a background task. Requests may name the state `canceled`, but no task is ever in this state. */
export type BackgroundTaskStatus = (typeof backgroundTaskStatuses)[number];

/** A webhook delivery that is shown as a background task. */
export interface BackgroundTaskRow {
  readonly id: string;
  /** Number of the background task in the order in which tasks were created. */
  readonly sequence: number;
  readonly status: BackgroundTaskStatus;
  /** Number of queued tasks that will run before this task. Null if this task is not queued. */
  readonly position: number | null;
  readonly eventRule: string | null;
  readonly actionType: string;
  readonly actionObjectId: number | null;
  readonly objectType: string;
  readonly objectId: number;
  readonly event: string;
  /** Event context of the delivery. Null if a list omits the payload because the payloads of the list are too large. */
  readonly payload: Readonly<Record<string, unknown>> | null;
  readonly attempts: number;
  readonly responseStatus: number | null;
  readonly error: string | null;
  readonly durationMs: number | null;
  readonly created: Date;
  readonly lastAttemptAt: Date | null;
  readonly nextAttemptAt: Date | null;
  readonly finished: Date | null;
}

export interface BackgroundTaskPageRequest {
  readonly statuses: readonly BackgroundTaskStatus[];
  readonly limit: number;
  readonly offset: number;
  /**
   * Sequence number of the first task on the page, for a list in the order of sequence numbers. Null for a list in the
   * order of time.
   */
  readonly start: number | null;
  /**
   * Ids of the deliveries that are being sent now. The state of a task depends on whether its delivery is in this list.
   */
  readonly running: readonly string[];
}

/** Error message of a delivery that an operator stopped. */
const taskStoppedErrorMessage = 'Stopped by an operator.';

/** Largest possible value of the column `sequence`, which numbers deliveries. */
const maxDeliverySequence = '9223372036854775807';

const failedTaskStatusSql = `CASE WHEN d.error = '${taskStoppedErrorMessage}' THEN 'stopped' ELSE 'failed' END`;

const createQueuedTaskStatusSql = (isBlocked: string): string => `CASE
  WHEN d.id = ANY ($1::uuid[]) THEN 'started'
  WHEN ${isBlocked} THEN 'deferred'
  WHEN d.next_attempt_at > now() THEN 'scheduled'
  ELSE 'queued' END`;

/**
 * SQL expression of the state of a delivery that is shown as a background task. The expression searches for an earlier
 * delivery with the same ordering key.
 */
const TASK_STATUS_SQL = `CASE d.status WHEN 'succeeded' THEN 'finished' WHEN 'failed' THEN ${failedTaskStatusSql}
  ELSE ${createQueuedTaskStatusSql(createDeliveryStore.sql.isBlocked)} END`;

/**
 * Returns the SQL query of all deliveries `d` that have a stored status. The query compares and sorts rows in the order
 * of an index, and hides its LIMIT from PostgreSQL's planner. Otherwise PostgreSQL might read the whole table.
 */
const createStoredStatusQuerySql = (status: string, columns: string): string => `
  SELECT ${columns} FROM webhook_deliveries d
   WHERE (d.status, d.sequence) > ('${status}', 0) AND (d.status, d.sequence) < ('${status}', ${maxDeliverySequence})
   ORDER BY d.status, d.sequence LIMIT (SELECT ${maxDeliverySequence})`;

/**
 * SQL query of all queued deliveries with an ordering key, in the order of an index that contains all columns of the query.
 * Like {@link createStoredStatusQuerySql}, the query has conditions and a hidden LIMIT with which the planner prefers
 * this index, whatever the statistics are.
 */
const queuedDeliveriesInLanesSql = `
  SELECT d.id, d.sequence, d.created, d.lane, d.next_attempt_at FROM webhook_deliveries d
   WHERE d.lane >= '' AND (d.lane, d.sequence) > ('', 0)
   ORDER BY d.lane, d.sequence LIMIT (SELECT ${maxDeliverySequence})`;

/**
 * SQL queries of background tasks with their states, by the stored status of the delivery. A list reads only deliveries
 * with the statuses that it needs.
 */
const tasksByStoredStatus = {
  // A lookup of the first delivery for each row took 8 s for 90,000 deliveries. Sorting the rows by their ordering keys
  // took 0.4 s. Queued deliveries without ordering key are rare: they are read only if more
  // deliveries are queued than have an ordering key.
  queued: `in_lanes AS MATERIALIZED (
    SELECT d.sequence, d.created,
           ${createQueuedTaskStatusSql('row_number() OVER (PARTITION BY d.lane ORDER BY d.sequence) > 1')} AS task
      FROM (${queuedDeliveriesInLanesSql}) d),
  queued AS MATERIALIZED (
    SELECT sequence, created, task FROM in_lanes
    UNION ALL SELECT d.sequence, d.created, ${createQueuedTaskStatusSql('false')}
      FROM (${createStoredStatusQuerySql('queued', 'd.id, d.sequence, d.created, d.lane, d.next_attempt_at')}) d
     WHERE d.lane IS NULL
       AND (SELECT count(*) FROM (${createStoredStatusQuerySql('queued', '')}) d) > (SELECT count(*) FROM in_lanes))`,
  failed: `failed AS MATERIALIZED (${createStoredStatusQuerySql('failed', `d.sequence, d.created, ${failedTaskStatusSql} AS task`)})`,
};

/**
 * SQL expression of the number of succeeded deliveries. Most deliveries have succeeded, so the expression does not
 * count their rows. It subtracts the other deliveries from the stored total.
 */
const FINISHED_TASK_COUNT_SQL = `(
  (SELECT coalesce(sum(n), 0) FROM row_counts WHERE model = 'extras.webhookdelivery')
  - (SELECT count(*) FROM (${createStoredStatusQuerySql('queued', '')}) d) - (SELECT count(*) FROM (${createStoredStatusQuerySql('failed', '')}) d))`;

/**
 * SQL columns of a background task except its payload. The rule is read by a subquery, because a join might read all
 * deliveries in the order of their rules.
 */
export const taskColumnsSql = `d.id, d.sequence::float8 AS sequence, d.action_type AS "actionType",
  (SELECT r.name FROM extras_eventrule r WHERE r.id = d.event_rule_id) AS "eventRule",
  d.action_object_id::float8 AS "actionObjectId", d.object_type AS "objectType", d.object_id::float8 AS "objectId",
  d.event, d.attempts, d.response_status AS "responseStatus", d.error, d.duration_ms AS "durationMs",
  d.created, d.last_attempt_at AS "lastAttemptAt", d.next_attempt_at AS "nextAttemptAt", d.finished`;

const SELECT_RUNNING_ATTEMPTS_SQL = `
  SELECT d.id, d.last_attempt_at AS "startedAt" FROM webhook_deliveries d WHERE ${createDeliveryStore.sql.isBeingSent}`;

/** Returns the deliveries for which an attempt is running, with or without a job in the queue. */
export async function listRunningAttempts(tx: QueueTx): Promise<{ id: string; startedAt: Date }[]> {
  return (await tx.query<{ id: string; startedAt: Date }>(SELECT_RUNNING_ATTEMPTS_SQL)).rows;
}

type TaskSortDirection = 'ASC' | 'DESC';

/**
 * Parts of an SQL statement that lists background tasks. The parts select the tasks whose deliveries have one stored
 * status.
 */
interface TaskListSqlParts {
  /** SQL definitions of tables for the WITH clause of the statement. */
  readonly definitions: readonly string[];
  /** SQL expression of the number of tasks with the stored status. */
  readonly count: string;
  /** SQL query of the tasks that a page may contain, with the sequence number and the state. */
  readonly tasks: string;
}

const listedTasksCondition = 'task = ANY ($2) AND sequence >= $5';

const taskListSqlByStatus: Readonly<
  Record<'queued' | 'failed' | 'succeeded', (direction: TaskSortDirection) => TaskListSqlParts>
> = {
  queued: () => ({
    definitions: [tasksByStoredStatus.queued],
    count: '(SELECT count(*) FROM queued WHERE task = ANY ($2))',
    tasks: `SELECT sequence, task FROM queued WHERE ${listedTasksCondition}`,
  }),
  failed: () => ({
    definitions: [tasksByStoredStatus.failed],
    count: '(SELECT count(*) FROM failed WHERE task = ANY ($2))',
    tasks: `SELECT sequence, task FROM failed WHERE ${listedTasksCondition}`,
  }),
  succeeded: (direction) => ({
    definitions: [],
    count: FINISHED_TASK_COUNT_SQL,
    tasks: `SELECT d.sequence, 'finished' FROM webhook_deliveries d
      WHERE (d.status, d.sequence) >= ('succeeded', $5::bigint) AND (d.status, d.sequence) < ('succeeded', ${maxDeliverySequence})
      ORDER BY d.status ${direction}, d.sequence ${direction} LIMIT $3::bigint + $4::bigint`,
  }),
};

/**
 * SQL expression of the place of a task in the queue; null for tasks in other states. The tasks before the page are counted
 * once. A page with queued tasks contains all of them between its first and its last task.
 */
const placeInQueueSql = `CASE WHEN task = 'queued' THEN
  (SELECT count(*) FROM queued WHERE task = 'queued' AND sequence < (SELECT min(sequence) FROM page))
  + count(*) FILTER (WHERE task = 'queued') OVER (ORDER BY sequence) - 1 END`;

/**
 * Returns the SQL statement that lists a page of background tasks in the order of their creation. Includes only tasks
 * whose deliveries have one of the stored statuses.
 */
function createTaskListStatement(
  stored: readonly (keyof typeof taskListSqlByStatus)[],
  direction: TaskSortDirection,
): string {
  const sources = stored.map((status) => taskListSqlByStatus[status](direction));
  // Each parameter needs a type, also one that no source uses.
  const parameters = 'parameters AS (SELECT $1::uuid[], $2::text[])';
  const place = stored.includes('queued') ? placeInQueueSql : 'NULL';
  return `
  WITH ${[parameters, ...sources.flatMap(({ definitions }) => definitions)].join(',\n')}, page AS MATERIALIZED (
    SELECT * FROM (${sources.map(({ tasks }) => `(${tasks})`).join(' UNION ALL ')}) tasks (sequence, task)
     ORDER BY sequence ${direction} LIMIT $3 OFFSET $4)
  SELECT (${sources.map(({ count }) => count).join(' + ')})::float8 AS count, coalesce((
    SELECT json_agg(json_build_object('sequence', sequence, 'status', task, 'position', place) ORDER BY sequence ${direction})
      FROM (SELECT sequence, task, ${place} AS place FROM page) p), '[]') AS places`;
}

// The queued tasks are read only if the task is one of them.
const FIND_TASK_SQL = `
  WITH ${tasksByStoredStatus.queued}, found AS MATERIALIZED (
    SELECT ${TASK_STATUS_SQL} AS status, ${taskColumnsSql}, d.payload FROM webhook_deliveries d WHERE d.id = $2)
  SELECT found.*, CASE WHEN found.status = 'queued' THEN (
      SELECT count(*)::float8 FROM queued WHERE queued.task = 'queued' AND queued.sequence < found.sequence) END AS position
    FROM found`;

const COUNT_TASKS_SQL = `
  WITH ${tasksByStoredStatus.queued}, ${tasksByStoredStatus.failed}
  SELECT task AS status, count(*)::float8 AS count, min(created) AS oldest
    FROM (SELECT task, created FROM queued UNION ALL SELECT task, created FROM failed) tasks GROUP BY 1
  UNION ALL SELECT 'finished', ${FINISHED_TASK_COUNT_SQL}::float8, NULL`;

// The condition matches no index. Whatever the statistics are, the row is read by its id.
const isQueuedTaskSql = `(status = 'queued')::int <> 0`;

const STOP_TASK_SQL = `
  UPDATE webhook_deliveries
     SET status = 'failed', error = $2, next_attempt_at = NULL, waiting_for = NULL, finished = now()
   WHERE id = $1 AND ${isQueuedTaskSql}`;

const MAKE_TASK_DUE_SQL = `
  UPDATE webhook_deliveries d SET next_attempt_at = now(), waiting_for = NULL
   WHERE id = $1 AND ${isQueuedTaskSql} AND next_attempt_at > now()
  RETURNING ${createDeliveryStore.sql.dueColumns}`;

// The waiting delivery is found from the deleted row, within the same statement.
const DELETE_TASK_SQL = `
  WITH gone AS (DELETE FROM webhook_deliveries WHERE id = $1 RETURNING *)
  UPDATE webhook_deliveries d SET next_attempt_at = greatest(next_attempt_at, now())
   WHERE id = (SELECT (${createDeliveryStore.sql.nextInLane}) FROM gone d)
  RETURNING ${createDeliveryStore.sql.dueColumns}`;

const storedStatusByTaskStatus: Readonly<Record<BackgroundTaskStatus, keyof typeof taskListSqlByStatus | null>> = {
  queued: 'queued',
  started: 'queued',
  deferred: 'queued',
  scheduled: 'queued',
  finished: 'succeeded',
  failed: 'failed',
  stopped: 'failed',
  canceled: null,
};

/** Position of a background task on a page. */
export type BackgroundTaskPlace = Pick<BackgroundTaskRow, 'sequence' | 'status' | 'position'>;

/** Returns the tasks on a page without their stored columns, and the total number of tasks. */
export async function listBackgroundTaskPlaces(
  tx: QueueTx,
  page: BackgroundTaskPageRequest,
): Promise<{ count: number; places: readonly BackgroundTaskPlace[] }> {
  const { statuses, limit, offset, start, running } = page;
  const stored = [...new Set(statuses.flatMap((status) => storedStatusByTaskStatus[status] ?? []))];
  if (stored.length === 0) return { count: 0, places: [] };
  const direction = stored.includes('queued') || start !== null ? 'ASC' : 'DESC';
  const { rows } = await tx.query<{ count: number; places: BackgroundTaskPlace[] }>(
    createTaskListStatement(stored, direction),
    [running, statuses, limit, offset, start ?? 0],
  );
  return rows[0] ?? { count: 0, places: [] };
}

/**
 * Returns the background task with the given id, or null if no task has the id. `running` contains the ids of the
 * deliveries that are being sent.
 */
export async function findBackgroundTask(
  tx: QueueTx,
  id: string,
  running: readonly string[],
): Promise<BackgroundTaskRow | null> {
  const [row] = (await tx.query<BackgroundTaskRow>(FIND_TASK_SQL, [running, id])).rows;
  if (row === undefined) return null;
  return row.status === 'queued' ? row : { ...row, position: null };
}

/** Number of background tasks that are in one state. */
export interface BackgroundTaskCount {
  readonly status: BackgroundTaskStatus;
  readonly count: number;
  /** Creation time of the oldest task in the state. Null for finished tasks. */
  readonly oldest: Date | null;
}

/** Returns the number of background tasks in each state. */
export async function countBackgroundTasks(tx: QueueTx, running: readonly string[]): Promise<BackgroundTaskCount[]> {
  return (await tx.query<BackgroundTaskCount>(COUNT_TASKS_SQL, [running])).rows;
}

/**
 * Sets the status of an unfinished delivery to failed. An attempt that is still running can then no longer record its
 * outcome.
 */
export async function stopDelivery(tx: QueueTx, id: string): Promise<void> {
  await tx.query(STOP_TASK_SQL, [id, taskStoppedErrorMessage]);
}

/**
 * Makes a waiting delivery due now. Returns a list that contains the delivery. Returns an empty list if the delivery is
 * not waiting.
 */
export async function enqueueDelivery(tx: QueueTx, id: string): Promise<WebhookDeliveryNeedingJob[]> {
  return (await tx.query<WebhookDeliveryNeedingJob>(MAKE_TASK_DUE_SQL, [id])).rows;
}

/**
 * Deletes a delivery with its attempts. If another delivery waited for the deleted delivery, makes the waiting delivery
 * due and returns it in a list. Otherwise returns an empty list.
 */
export async function removeDelivery(tx: QueueTx, id: string): Promise<WebhookDeliveryNeedingJob[]> {
  return (await tx.query<WebhookDeliveryNeedingJob>(DELETE_TASK_SQL, [id])).rows;
}
