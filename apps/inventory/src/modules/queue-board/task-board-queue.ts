import { BaseAdapter } from '@bull-board/api/dist/queueAdapters/base.js';
import { STATUSES } from '@bull-board/api/constants/statuses';
import type { JobCounts, JobStatus, QueueWorker, Status } from '@bull-board/api/typings/app';
import { inventoryErrors } from '../../errors.js';
import { type WebhookDeliveryTasks, backgroundTaskStatuses, type BackgroundTaskStatus } from '../../webhooks/index.js';
import { getQueueBoardState, taskStatusesByBoardState, TaskAsQueueBoardJob } from './task-as-board-job.js';

/** Shows webhook deliveries to Bull Board as the only queue. {@link WebhookDeliveryTasks} reads and changes the deliveries. */
export class TaskBoardQueue extends BaseAdapter {
  constructor(private readonly tasks: WebhookDeliveryTasks) {
    super('bullmq', { description: 'Webhooks and messages of event rules' });
  }

  override getName(): string {
    return this.tasks.deliveryJobKind;
  }

  override getStatuses(): Status[] {
    return [STATUSES.latest, ...this.getJobStatuses()];
  }

  override getJobStatuses(): JobStatus[] {
    return [
      STATUSES.active,
      STATUSES.waiting,
      STATUSES.waitingChildren,
      STATUSES.completed,
      STATUSES.failed,
      STATUSES.delayed,
    ];
  }

  override async getJobCounts(): Promise<JobCounts> {
    const { counts } = await this.tasks.countDeliveryTasks();
    const shown: JobCounts = {};
    for (const status of backgroundTaskStatuses) {
      const state = getQueueBoardState(status);
      if (state !== 'unknown') shown[state] = (shown[state] ?? 0) + (counts[status] ?? 0);
    }
    return shown;
  }

  override async getJobs(states: JobStatus[], start = 0, end = -1): Promise<TaskAsQueueBoardJob[]> {
    const named: Readonly<Partial<Record<string, readonly BackgroundTaskStatus[]>>> = taskStatusesByBoardState;
    const statuses = states.flatMap((state) => named[state] ?? []);
    const limit = end < start ? maxTasksReadForBoard : Math.min(end - start + 1, maxTasksReadForBoard);
    const tasks = await this.tasks.listTasksWithFirstPayloads({ statuses, offset: start, limit, start: null });
    return tasks.map((task) => new TaskAsQueueBoardJob(task, this.tasks));
  }

  override async getJob(id: string): Promise<TaskAsQueueBoardJob | null> {
    const task = await this.tasks.findDeliveryTask(id);
    return task && new TaskAsQueueBoardJob(task, this.tasks);
  }

  override async getWorkers(): Promise<QueueWorker[]> {
    const now = Date.now();
    return (await this.tasks.listDeliveryWorkers()).map(({ name, hostname, pid, startedAt }) => ({
      id: name,
      name: `${hostname} ${pid}`,
      addr: hostname,
      age: Math.round((now - startedAt.getTime()) / 1000),
    }));
  }

  override async getJobLogs(): Promise<string[]> {
    return [];
  }

  override async getMetrics() {
    return { meta: { count: 0, prevTS: 0, prevCount: 0 }, data: [], count: 0 };
  }

  override async getRedisInfo(): Promise<null> {
    return null;
  }

  override async isPaused(): Promise<boolean> {
    return false;
  }

  override async getGlobalConcurrency(): Promise<null> {
    return null;
  }

  override async getJobSchedulers(): Promise<[]> {
    return [];
  }

  override async getJobSchedulersCount(): Promise<number> {
    return 0;
  }

  // The following methods do not apply to deliveries, and the board does not serve the routes that call them.
  override clean = throwUnsupportedOperationError;
  override addJob = throwUnsupportedOperationError;
  override pause = throwUnsupportedOperationError;
  override resume = throwUnsupportedOperationError;
  override empty = throwUnsupportedOperationError;
  override obliterate = throwUnsupportedOperationError;
  override promoteAll = throwUnsupportedOperationError;
  override removeJobScheduler = throwUnsupportedOperationError;
  override updateJobScheduler = throwUnsupportedOperationError;
  override runJobSchedulerNow = throwUnsupportedOperationError;
  override setGlobalConcurrency = throwUnsupportedOperationError;
}

/** Maximum number of background tasks that are read for one page of Bull Board. */
const maxTasksReadForBoard = 1000;

async function throwUnsupportedOperationError(): Promise<never> {
  throw inventoryErrors.create('NOT_FOUND');
}
