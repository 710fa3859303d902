import type { QueueBoardJob, QueueBoardJobState } from '@switchboard/board';
import type { DeliveryTask, BackgroundTaskStatus } from '../../webhooks/index.js';

/** Statuses of background tasks that each state of a job on the board stands for, by the name of the state. */
export const taskStatusesByQueueBoardState: Readonly<Record<QueueBoardJobState, readonly BackgroundTaskStatus[]>> = {
  active: ['started'],
  waiting: ['queued'],
  'waiting-children': ['deferred'],
  completed: ['finished'],
  failed: ['failed', 'stopped'],
  delayed: ['scheduled'],
};

export function getQueueBoardJobState(status: BackgroundTaskStatus): QueueBoardJobState | 'unknown' {
  const names = Object.entries(taskStatusesByQueueBoardState).flatMap(([state, statuses]) =>
    statuses.includes(status) ? [state as QueueBoardJobState] : [],
  );
  return names[0] ?? 'unknown';
}

/** Data that a job contains in place of the payload, if a page of jobs omits the payload. */
const omittedPayload = { payload: 'The payloads of this page are too large. Open the job to see its payload.' };

/** Returns a background task in the form of a job on the board. */
export function createQueueBoardJobOfTask(task: DeliveryTask): QueueBoardJob {
  const { payload, eventRule, actionType, actionObjectId, objectType, objectId, event } = task;
  const now = Date.now();
  const waits = task.status === 'scheduled' && task.nextAttemptAt !== null;
  return {
    id: task.id,
    name: `${event} ${objectType} ${objectId}`,
    state: getQueueBoardJobState(task.status),
    data: { eventRule, actionType, actionObjectId, ...(payload ?? omittedPayload) },
    result: task.status === 'finished' ? { status: task.responseStatus, durationMs: task.durationMs } : null,
    error: task.error,
    attempts: task.attempts,
    addedAt: task.created,
    startedAt: task.lastAttemptAt,
    finishedAt: task.finished,
    worker: task.worker,
    ...(waits ? { delayMs: Math.max(0, (task.nextAttemptAt?.getTime() ?? now) - task.created.getTime()) } : {}),
  };
}
