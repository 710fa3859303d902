import type {
  QueueBoardJob,
  QueueBoardJobPage,
  QueueBoardJobState,
  QueueBoardQueue,
  QueueBoardWorker,
} from '@switchboard/board';
import { type WebhookDeliveryTasks, backgroundTaskStatuses } from '../../webhooks/index.js';
import { createQueueBoardJobOfTask, getQueueBoardJobState, taskStatusesByQueueBoardState } from './task-board-job.js';

/** Shows webhook deliveries as a queue on the board. {@link WebhookDeliveryTasks} reads and changes the deliveries. */
export class TaskBoardQueue implements QueueBoardQueue {
  readonly name: string;
  readonly description = 'Webhooks and messages of event rules';
  readonly states: readonly QueueBoardJobState[] = [
    'active',
    'waiting',
    'waiting-children',
    'completed',
    'failed',
    'delayed',
  ];
  readonly retriesCompletedJobs = true;

  constructor(private readonly tasks: WebhookDeliveryTasks) {
    this.name = tasks.deliveryJobKind;
  }

  async countJobs(): Promise<Partial<Record<QueueBoardJobState, number>>> {
    const { counts } = await this.tasks.countDeliveryTasks();
    const shown: Partial<Record<QueueBoardJobState, number>> = {};
    for (const status of backgroundTaskStatuses) {
      const state = getQueueBoardJobState(status);
      if (state !== 'unknown') shown[state] = (shown[state] ?? 0) + (counts[status] ?? 0);
    }
    return shown;
  }

  /** Lists background tasks. The setting `maxPayloadBytes` of the tasks limits their payloads, not the page. */
  async listJobs(
    states: readonly QueueBoardJobState[],
    { offset, limit }: Pick<QueueBoardJobPage, 'offset' | 'limit'>,
  ): Promise<QueueBoardJob[]> {
    const statuses = states.flatMap((state) => taskStatusesByQueueBoardState[state]);
    const tasks = await this.tasks.listTasksWithFirstPayloads({ statuses, offset, limit, start: null });
    return tasks.map(createQueueBoardJobOfTask);
  }

  async findJob(id: string): Promise<QueueBoardJob | null> {
    const task = await this.tasks.findDeliveryTask(id);
    return task && createQueueBoardJobOfTask(task);
  }

  async listWorkers(): Promise<QueueBoardWorker[]> {
    const workers = await this.tasks.listDeliveryWorkers();
    return workers.map(({ name, hostname, pid, startedAt }) => ({
      id: name,
      name: `${hostname} ${pid}`,
      host: hostname,
      startedAt,
    }));
  }

  /** Makes a scheduled background task due now. */
  promoteJob(id: string): Promise<void> {
    return this.tasks.enqueueTask(id);
  }

  removeJob(id: string): Promise<void> {
    return this.tasks.removeTask(id);
  }

  retryJob(id: string): Promise<void> {
    return this.tasks.requeueTask(id);
  }
}
