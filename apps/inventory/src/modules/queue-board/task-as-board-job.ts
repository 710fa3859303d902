import type { JobState, QueueJob, QueueJobJson } from '@bull-board/api/typings/app';
import type { DeliveryTask, WebhookDeliveryTasks, BackgroundTaskStatus } from '../../webhooks/index.js';

/** Statuses of background tasks that each state of a Bull Board job stands for, by the name of the state. */
export const taskStatusesByBoardState = {
  active: ['started'],
  waiting: ['queued'],
  'waiting-children': ['deferred'],
  completed: ['finished'],
  failed: ['failed', 'stopped'],
  delayed: ['scheduled'],
} as const satisfies Readonly<Partial<Record<JobState, readonly BackgroundTaskStatus[]>>>;

/** Name of a state in Bull Board, such as `waiting`. */
export type QueueBoardState = keyof typeof taskStatusesByBoardState;

/** Returns the name of the Bull Board state for the status of a background task. */
export function getQueueBoardState(status: BackgroundTaskStatus): QueueBoardState | 'unknown' {
  const names = Object.entries(taskStatusesByBoardState).flatMap(([state, statuses]) =>
    statuses.some((known) => known === status) ? [state as QueueBoardState] : [],
  );
  return names[0] ?? 'unknown';
}

/** Data that a job contains in place of the payload, if a page of jobs omits the payload. */
const omittedPayload = { payload: 'The payloads of this page are too large. Open the job to see its payload.' };

/** A background task in the form of a Bull Board job, with the actions that the API allows. */
export class TaskAsQueueBoardJob implements QueueJob {
  readonly opts: { delay?: number } = {};

  constructor(
    private readonly task: DeliveryTask,
    private readonly tasks: WebhookDeliveryTasks,
  ) {}

  /** Makes a scheduled background task due now. */
  promote(): Promise<void> {
    return this.tasks.enqueueTask(this.task.id);
  }

  remove(): Promise<void> {
    return this.tasks.removeTask(this.task.id);
  }

  retry(): Promise<void> {
    return this.tasks.requeueTask(this.task.id);
  }

  async getState(): Promise<JobState> {
    return getQueueBoardState(this.task.status);
  }

  toJSON(): QueueJobJson {
    const { task } = this;
    const { payload, eventRule, actionType, actionObjectId, objectType, objectId, event } = task;
    const now = Date.now();
    const waits = task.status === 'scheduled' && task.nextAttemptAt !== null;
    return {
      id: task.id,
      name: `${event} ${objectType} ${objectId}`,
      progress: 0,
      attemptsMade: task.attempts,
      timestamp: task.created.getTime(),
      processedOn: task.lastAttemptAt?.getTime() ?? null,
      finishedOn: task.finished?.getTime() ?? null,
      processedBy: task.worker,
      ...(waits ? { delay: Math.max(0, (task.nextAttemptAt?.getTime() ?? now) - task.created.getTime()) } : {}),
      failedReason: task.error ?? '',
      stacktrace: task.error === null ? [] : [task.error],
      data: { eventRule, actionType, actionObjectId, ...(payload ?? omittedPayload) },
      returnvalue: task.status === 'finished' ? { status: task.responseStatus, durationMs: task.durationMs } : null,
      opts: {},
    };
  }
}
