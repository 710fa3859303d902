import type { BoardJob, BoardJobPage, BoardJobState, BoardQueue, BoardWorker } from '@switchboard/board';
import { type WebhookDeliveryTasks, backgroundTaskStatuses } from '../../webhooks/index.js';
import { createBoardJobOfTask, getBoardJobState, taskStatusesByBoardState } from './task-board-job.js';

/** Shows webhook deliveries as a queue on the board. {@link WebhookDeliveryTasks} reads and changes the deliveries. */
export class TaskBoardQueue implements BoardQueue {
  readonly name: string;
  readonly description = 'Webhooks and messages of event rules';
  readonly states: readonly BoardJobState[] = [
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

  async countJobs(): Promise<Partial<Record<BoardJobState, number>>> {
    const { counts } = await this.tasks.countDeliveryTasks();
    const shown: Partial<Record<BoardJobState, number>> = {};
    for (const status of backgroundTaskStatuses) {
      const state = getBoardJobState(status);
      if (state !== 'unknown') shown[state] = (shown[state] ?? 0) + (counts[status] ?? 0);
    }
    return shown;
  }

  /** Lists background tasks. The setting `maxPayloadBytes` of the tasks limits their payloads, not the page. */
  async listJobs(
    states: readonly BoardJobState[],
    { offset, limit }: Pick<BoardJobPage, 'offset' | 'limit'>,
  ): Promise<BoardJob[]> {
    const statuses = states.flatMap((state) => taskStatusesByBoardState[state]);
    const tasks = await this.tasks.listTasksWithFirstPayloads({ statuses, offset, limit, start: null });
    return tasks.map(createBoardJobOfTask);
  }

  async findJob(id: string): Promise<BoardJob | null> {
    const task = await this.tasks.findDeliveryTask(id);
    return task && createBoardJobOfTask(task);
  }

  async listWorkers(): Promise<BoardWorker[]> {
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
