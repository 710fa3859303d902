import type { ActiveJob, QueueTx, WorkerProcess } from '@switchboard/queue';
import { DeliveryQueue, type WebhookDeliveryNeedingJob } from '@switchboard/webhooks';
import type { WebhookDeliveryJobs } from './delivery-jobs.js';
import { createDeliveryStore } from './delivery-tables.js';
import {
  countBackgroundTasks,
  enqueueDelivery,
  findBackgroundTask,
  listRunningAttempts,
  listBackgroundTaskPlaces,
  removeDelivery,
  stopDelivery,
  type BackgroundTaskPageRequest,
  type BackgroundTaskPlace,
  type BackgroundTaskRow,
  type BackgroundTaskStatus,
} from './delivery-task-store.js';
import { readListedTasks, readTasksWithFirstPayloads } from './read-listed-tasks.js';

/** A webhook delivery that is shown as a background task, with the process that sends the delivery. */
export interface DeliveryTask extends BackgroundTaskRow {
  /** Name of the process that sends the delivery. Null if no process is sending the delivery. */
  readonly worker: string | null;
  /** Time of the last heartbeat of the process that sends the delivery. */
  readonly heartbeat: Date | null;
}

/** A page of background tasks that is read in parts, so that only a few payloads are in memory at any time. */
export interface DeliveryTaskPage {
  /** Total number of tasks. */
  readonly count: number;
  /** Positions of the tasks on the page, in order. */
  readonly places: readonly BackgroundTaskPlace[];
  /** Reads the tasks of the page in order, in parts. */
  readonly readParts: () => AsyncGenerator<readonly DeliveryTask[], void>;
}

/** Number of background tasks in each state. */
export interface BackgroundTaskCounts {
  readonly counts: Readonly<Partial<Record<BackgroundTaskStatus, number>>>;
  /** Creation time of the oldest queued delivery. Null if no delivery is queued. */
  readonly oldestQueued: Date | null;
}

const deliveryIdPattern = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Lists and changes webhook deliveries in the form of background tasks. The data comes from rows in PostgreSQL and from
 * running jobs in Redis. If Redis cannot be reached, every method throws RedisUnavailableError before it changes
 * anything.
 */
export class WebhookDeliveryTasks {
  readonly #database: QueueTx;
  readonly #jobs: WebhookDeliveryJobs;
  readonly #queue: DeliveryQueue;

  /**
   * @param maxPayloadBytes maximum total size, in bytes, of the payloads of a list that are in memory at a time. A single
   *   payload may be larger.
   */
  constructor(
    database: QueueTx,
    jobs: WebhookDeliveryJobs,
    private readonly maxPayloadBytes: number,
  ) {
    this.#database = database;
    this.#jobs = jobs;
    this.#queue = new DeliveryQueue(jobs.jobs, jobs.definition);
  }

  /** Name of the kind of job that sends webhook deliveries. */
  get deliveryJobKind(): string {
    return this.#jobs.definition.name;
  }

  /** Time limit of one attempt to send a delivery, in milliseconds. */
  get attemptTimeoutMs(): number {
    return this.#jobs.definition.timeoutMs;
  }

  /** Returns the worker processes that send webhook deliveries. */
  listDeliveryWorkers(): Promise<WorkerProcess[]> {
    return this.#jobs.jobs.workingProcesses();
  }

  /**
   * Returns a page of background tasks. Finished tasks are sorted with the newest task first, and all other tasks in the
   * order in which they will run.
   */
  async listDeliveryTasks(page: Omit<BackgroundTaskPageRequest, 'running'>): Promise<DeliveryTaskPage> {
    const running = await this.#runningAttempts();
    const { count, places } = await listBackgroundTaskPlaces(this.#database, { ...page, running: [...running.keys()] });
    const rows = (): AsyncGenerator<readonly BackgroundTaskRow[], void> =>
      readListedTasks(this.#database, places, this.maxPayloadBytes);
    const addWorkers = (part: readonly BackgroundTaskRow[]): Promise<DeliveryTask[]> =>
      this.#withWorkers(part, running);
    return {
      count,
      places,
      readParts: async function* () {
        for await (const part of rows()) yield await addWorkers(part);
      },
    };
  }

  /**
   * Returns a page of background tasks in the same order as {@link listDeliveryTasks}. The payload is null from the task
   * at which the total size of the payloads exceeds the limit.
   */
  async listTasksWithFirstPayloads(page: Omit<BackgroundTaskPageRequest, 'running'>): Promise<readonly DeliveryTask[]> {
    const running = await this.#runningAttempts();
    const { places } = await listBackgroundTaskPlaces(this.#database, { ...page, running: [...running.keys()] });
    const tasks = await readTasksWithFirstPayloads(this.#database, places, this.maxPayloadBytes);
    return this.#withWorkers(tasks, running);
  }

  /** Returns the background task with the given id, or null if no task has the id. */
  async findDeliveryTask(id: string): Promise<DeliveryTask | null> {
    const running = await this.#runningAttempts();
    const task = deliveryIdPattern.test(id) ? await findBackgroundTask(this.#database, id, [...running.keys()]) : null;
    if (task === null) return null;
    const [manned] = await this.#withWorkers([task], running);
    return manned ?? null;
  }

  /** Returns the number of background tasks in each state. */
  async countDeliveryTasks(): Promise<BackgroundTaskCounts> {
    const rows = await countBackgroundTasks(this.#database, [...(await this.#runningAttempts()).keys()]);
    return {
      counts: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
      oldestQueued: rows.find(({ status }) => status === 'queued')?.oldest ?? null,
    };
  }

  /**
   * Makes a delivery due now. A failed delivery gets all attempts of the retry policy again, and a waiting delivery has
   * its remaining attempts.
   */
  async requeueTask(id: string): Promise<void> {
    await this.#runningAttempts();
    await this.#addJobs(await createDeliveryStore.requeue(this.#database, id));
    await this.enqueueTask(id);
  }

  /** Makes a waiting delivery due now. Does nothing if a process is already sending the delivery. */
  async enqueueTask(id: string): Promise<void> {
    if ((await this.#runningAttempts()).has(id)) return;
    await this.#addJobs(await enqueueDelivery(this.#database, id));
  }

  /**
   * Aborts the running attempt of a delivery, and counts the delivery as failed. Returns false if no attempt is
   * running.
   */
  async stopTask(id: string): Promise<boolean> {
    const job = (await this.#runningAttempts()).get(id);
    if (job === undefined) return false;
    // The row is changed first, because the aborted attempt would queue it again.
    await stopDelivery(this.#database, id);
    await this.#cancel(job);
    await this.#addJobs(await createDeliveryStore.makeNextDeliveryDue(this.#database, id));
    return true;
  }

  /**
   * Deletes a delivery with its attempts, and aborts the attempt that is running. If another delivery waited for the
   * deleted delivery, makes the waiting delivery due.
   */
  async removeTask(id: string): Promise<void> {
    const job = (await this.#runningAttempts()).get(id);
    const due = await removeDelivery(this.#database, id);
    if (job !== undefined) await this.#cancel(job);
    await this.#addJobs(due);
  }

  /**
   * Adds jobs for due deliveries to the queue. If Redis rejects the jobs, the periodic search for due deliveries adds
   * the jobs later.
   */
  async #addJobs(due: WebhookDeliveryNeedingJob[]): Promise<void> {
    await this.#queue.addFurtherAttempts(due, { byHand: true }).catch(() => undefined);
  }

  /**
   * Cancels the job that runs an attempt of a delivery. If no process receives the cancellation, the attempt ends
   * normally, but its outcome is not recorded.
   */
  async #cancel({ id }: ActiveJob): Promise<void> {
    await this.#jobs.jobs.cancel(this.#jobs.definition, id).catch(() => false);
  }

  /**
   * Returns the jobs of running attempts, by the id of the delivery. A first attempt that runs without a job has an
   * entry without a known process.
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

  async #withWorkers(
    tasks: readonly BackgroundTaskRow[],
    running: ReadonlyMap<string, ActiveJob>,
  ): Promise<DeliveryTask[]> {
    const started = tasks.some(({ status }) => status === 'started');
    const workers = new Map((started ? await this.listDeliveryWorkers() : []).map((worker) => [worker.name, worker]));
    return tasks.map((task) => {
      const worker = (task.status === 'started' && running.get(task.id)?.worker) || null;
      return { ...task, worker, heartbeat: workers.get(worker ?? '')?.seenAt ?? null };
    });
  }
}
