import type { WorkerProcess } from '@switchboard/queue';
import type { DeliveryTask, BackgroundTaskCounts, BackgroundTaskStatus } from '../../webhooks/index.js';

/** Names of the background queues, in the order of the reference API. Webhook deliveries use the queue `default`. */
export const taskQueueNames = ['high', 'default', 'low'] as const;

const deliveryQueueName: BackgroundQueueName = 'default';

export type BackgroundQueueName = (typeof taskQueueNames)[number];

/** Data with which the API represents a background task, such as the task's queue and worker. */
export interface BackgroundTaskContext {
  /** Scheme and host of the request, with which URLs in the response begin. */
  readonly base: string;
  /** Name of the kind of background job that runs the task. */
  readonly kind: string;
  readonly timeoutMs: number;
}

const taskStatusFlags: readonly BackgroundTaskStatus[] = [
  'finished',
  'queued',
  'failed',
  'started',
  'deferred',
  'canceled',
  'scheduled',
  'stopped',
];

/**
 * Returns a background task in the form of the reference API (docs/contract/inventory.md 2.3). The member `meta`
 * contains further properties of the task.
 */
export function createBackgroundTaskJson(task: DeliveryTask, { base, kind, timeoutMs }: BackgroundTaskContext): object {
  const { id, event, objectType, objectId, actionType, actionObjectId, eventRule, payload } = task;
  const target = `${actionType} ${actionObjectId ?? '?'}`;
  return {
    id,
    url: `${base}/api/core/background-tasks/${id}/`,
    description: `${kind}: ${event} of ${objectType} ${objectId} to ${target}`,
    origin: deliveryQueueName,
    func_name: kind,
    args: [],
    kwargs: formatTaskArguments({
      event_rule: eventRule,
      object_type: objectType,
      object_id: objectId,
      action_type: actionType,
      action_object_id: actionObjectId,
      ...payload,
    }),
    result: getTaskResultText(task),
    timeout: Math.ceil(timeoutMs / 1000),
    result_ttl: null,
    created_at: task.created,
    enqueued_at: task.created,
    started_at: task.lastAttemptAt,
    ended_at: task.finished,
    worker_name: task.worker,
    position: task.position,
    status: task.status,
    meta: {
      attempts: task.attempts,
      next_attempt_at: task.nextAttemptAt,
      response_status: task.responseStatus,
      duration_ms: task.durationMs,
      error: task.error,
    },
    last_heartbeat: task.heartbeat,
    ...Object.fromEntries(taskStatusFlags.map((status) => [`is_${status}`, task.status === status])),
  };
}

/** Returns a background queue in the form that the API shows, with the number of its tasks in each state. */
export function createBackgroundQueueJson(
  name: BackgroundQueueName,
  { counts, oldestQueued }: BackgroundTaskCounts,
  { base, workers }: { readonly base: string; readonly workers: readonly WorkerProcess[] },
): object {
  const used = name === deliveryQueueName;
  const count = (...statuses: BackgroundTaskStatus[]): number =>
    used ? statuses.reduce((sum, status) => sum + (counts[status] ?? 0), 0) : 0;
  return {
    name,
    url: `${base}/api/core/background-queues/${name}/`,
    jobs: count('queued'),
    oldest_job_timestamp: used ? oldestQueued : null,
    index: taskQueueNames.indexOf(name),
    // Every worker schedules delayed tasks; the one with the longest uptime is named.
    scheduler_pid: workers[0] === undefined ? null : String(workers[0].pid),
    workers: workers.length,
    finished_jobs: count('finished'),
    started_jobs: count('started'),
    deferred_jobs: count('deferred'),
    failed_jobs: count('failed', 'stopped'),
    scheduled_jobs: count('scheduled'),
  };
}

/** Returns a worker process in the form that the API shows. */
export function createBackgroundWorkerJson(worker: WorkerProcess, base: string): object {
  return {
    name: worker.name,
    url: `${base}/api/core/background-workers/${worker.name}/`,
    state: worker.active > 0 ? 'busy' : 'idle',
    birth_date: worker.startedAt,
    queue_names: taskQueueNames,
    pid: String(worker.pid),
    successful_job_count: worker.completed,
    failed_job_count: worker.failed,
    total_working_time: Math.round(worker.workedMs / 1000),
  };
}

function getTaskResultText({ status, responseStatus, error }: DeliveryTask): string | null {
  if (status === 'finished') return `Status ${responseStatus} returned, webhook successfully processed.`;
  return error;
}

/** Returns the arguments of a background task, each as a text, because the reference API shows arguments as text. */
function formatTaskArguments(values: Readonly<Record<string, unknown>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(values).map(([name, value]) => [name, typeof value === 'string' ? value : JSON.stringify(value)]),
  );
}
