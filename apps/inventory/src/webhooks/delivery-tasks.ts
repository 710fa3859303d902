import type { ActiveJob, QueueTx, WorkerProcess } from '@switchboard/queue';
import { DeliveryQueue, type DueDelivery } from '@switchboard/webhooks';
import type { DeliveryJobs } from './delivery-jobs.js';
import { createDeliveryStore } from './delivery-tables.js';
import {
  countTasks,
  enqueueDelivery,
  findTask,
  listRunningAttempts,
  listTasks,
  removeDelivery,
  stopDelivery,
  type TaskPage,
  type TaskRow,
  type TaskStatus,
} from './delivery-task-store.js';

/** A webhook delivery as a background task, with the process that sends it. */
export interface DeliveryTask extends TaskRow {
  /** Name of the process that sends the delivery; null if it is not being sent. */
  readonly worker: string | null;
  /** Time of the last heartbeat of the process that sends the delivery. */
  readonly heartbeat: Date | null;
}

/** Numbers of background tasks by state. */
export interface TaskCounts {
  readonly counts: Readonly<Partial<Record<TaskStatus, number>>>;
  /** Creation time of the oldest queued delivery. */
  readonly oldestQueued: Date | null;
}

const deliveryIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Lists and changes webhook deliveries as background tasks, from rows in PostgreSQL and running jobs in Redis. If Redis
 * cannot be reached, every method throws RedisUnavailableError before any change.
 */
export class DeliveryTasks {
  readonly #database: QueueTx;
  readonly #jobs: DeliveryJobs;
  readonly #queue: DeliveryQueue;

  constructor(database: QueueTx, jobs: DeliveryJobs) {
    this.#database = database;
    this.#jobs = jobs;
    this.#queue = new DeliveryQueue(jobs.jobs, jobs.definition);
  }

  /** Name of the kind of job that sends deliveries. */
  get kind(): string {
    return this.#jobs.definition.name;
  }

  /** Time limit of one delivery attempt, in milliseconds. */
  get timeoutMs(): number {
    return this.#jobs.definition.timeoutMs;
  }

  /** Lists the worker processes that send deliveries. */
  workers(): Promise<WorkerProcess[]> {
    return this.#jobs.jobs.workingProcesses();
  }

  /**
   * Lists background tasks: finished tasks with the newest first, all other tasks in the order in which they will run.
   */
  async list(page: Omit<TaskPage, 'running'>): Promise<{ count: number; tasks: DeliveryTask[] }> {
    const running = await this.#runningAttempts();
    const { count, tasks } = await listTasks(this.#database, { ...page, running: [...running.keys()] });
    return { count, tasks: await this.#withWorkers(tasks, running) };
  }

  /** Returns a background task, or null for an unknown id. */
  async find(id: string): Promise<DeliveryTask | null> {
    const running = await this.#runningAttempts();
    const task = deliveryIdPattern.test(id) ? await findTask(this.#database, id, [...running.keys()]) : null;
    if (task === null) return null;
    const [manned] = await this.#withWorkers([task], running);
    return manned ?? null;
  }

  /** Counts the background tasks by state. */
  async count(): Promise<TaskCounts> {
    const rows = await countTasks(this.#database, [...(await this.#runningAttempts()).keys()]);
    return {
      counts: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
      oldestQueued: rows.find(({ status }) => status === 'queued')?.oldest ?? null,
    };
  }

  /**
   * Makes a failed delivery due now with all attempts of the retry policy, or a waiting delivery with its remaining
   * attempts.
   */
  async requeue(id: string): Promise<void> {
    await this.#runningAttempts();
    await this.#addJobs(await createDeliveryStore.requeue(this.#database, id));
    await this.enqueue(id);
  }

  /** Makes a waiting delivery due now. Does nothing if the delivery is being sent. */
  async enqueue(id: string): Promise<void> {
    if ((await this.#runningAttempts()).has(id)) return;
    await this.#addJobs(await enqueueDelivery(this.#database, id));
  }

  /** Aborts the running attempt of a delivery, which then counts as failed. Returns false if no attempt is running. */
  async stop(id: string): Promise<boolean> {
    const job = (await this.#runningAttempts()).get(id);
    if (job === undefined) return false;
    // The row is changed first, because the aborted attempt would queue it again.
    await stopDelivery(this.#database, id);
    await this.#cancel(job);
    await this.#addJobs(await createDeliveryStore.makeNextDeliveryDue(this.#database, id));
    return true;
  }

  /**
   * Deletes a delivery with its attempts, and aborts a running attempt. Makes the delivery that waited for the deleted
   * delivery due.
   */
  async remove(id: string): Promise<void> {
    const job = (await this.#runningAttempts()).get(id);
    const due = await removeDelivery(this.#database, id);
    if (job !== undefined) await this.#cancel(job);
    await this.#addJobs(due);
  }

  /** Adds jobs for due deliveries. If Redis rejects the jobs, the sweep adds them later. */
  async #addJobs(due: DueDelivery[]): Promise<void> {
    await this.#queue.addFurtherAttempts(due, { byHand: true }).catch(() => undefined);
  }

  /**
   * Cancels the job of a running attempt. If no process receives the cancellation, the attempt ends normally, but its
   * outcome is not recorded.
   */
  async #cancel({ id }: ActiveJob): Promise<void> {
    await this.#jobs.jobs.cancel(this.#jobs.definition, id).catch(() => false);
  }

  /**
   * Returns the jobs of running attempts by delivery id. First attempts that run inline have no job, and their process
   * is unknown.
   */
  async #runningAttempts(): Promise<Map<string, ActiveJob>> {
    const { jobs, definition } = this.#jobs;
    const [active, begun] = await Promise.all([jobs.active(definition), listRunningAttempts(this.#database)]);
    const first = begun.map(({ id, startedAt }) => ({
      job: definition.name,
      id,
      payload: {},
      startedAt,
      worker: null,
    }));
    return new Map([
      ...first.map((job) => [job.id, job] as const),
      ...active.map((job) => [definition.payload.parse(job.payload).deliveryId, job] as const),
    ]);
  }

  async #withWorkers(tasks: readonly TaskRow[], running: ReadonlyMap<string, ActiveJob>): Promise<DeliveryTask[]> {
    const started = tasks.some(({ status }) => status === 'started');
    const workers = new Map((started ? await this.workers() : []).map((worker) => [worker.name, worker]));
    return tasks.map((task) => {
      const worker = (task.status === 'started' && running.get(task.id)?.worker) || null;
      return { ...task, worker, heartbeat: workers.get(worker ?? '')?.seenAt ?? null };
    });
  }
}
