import type { ActiveJob, QueueTx, WorkerProcess } from '@switchboard/queue';
import type { DeliveryJobs } from './delivery-jobs.js';
import { DeliveryQueue, type DueDelivery } from './delivery-queue.js';
import { requeueDelivery, wakeNextDelivery } from './delivery-store.js';
import {
  countTasks,
  enqueueDelivery,
  findTask,
  listBegun,
  listTasks,
  removeDelivery,
  stopDelivery,
  type TaskPage,
  type TaskRow,
  type TaskStatus,
} from './task-store.js';

/** A delivery as a background task, with the process that sends it. */
export interface DeliveryTask extends TaskRow {
  /** Name of the process that sends it; null if it is not being sent. */
  readonly worker: string | null;
  /** Time of that process's last heartbeat. */
  readonly heartbeat: Date | null;
}

/** Number of tasks by state. */
export interface TaskCounts {
  readonly counts: Readonly<Partial<Record<TaskStatus, number>>>;
  /** Creation time of the oldest queued delivery. */
  readonly oldestQueued: Date | null;
}

const isId = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/**
 * Deliveries as background tasks, from rows in PostgreSQL and running jobs in Redis. If Redis cannot be reached, every
 * method throws RedisUnavailableError before any change.
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

  /** Name of the delivery job. */
  get kind(): string {
    return this.#jobs.definition.name;
  }

  /** Time limit of one attempt, in milliseconds. */
  get timeoutMs(): number {
    return this.#jobs.definition.timeoutMs;
  }

  /** Lists the processes that send deliveries. */
  workers(): Promise<WorkerProcess[]> {
    return this.#jobs.jobs.workingProcesses();
  }

  /** Lists tasks: finished ones newest first, all others in the order in which they will run. */
  async list(page: Omit<TaskPage, 'running'>): Promise<{ count: number; tasks: DeliveryTask[] }> {
    const running = await this.#running();
    const { count, tasks } = await listTasks(this.#database, { ...page, running: [...running.keys()] });
    return { count, tasks: await this.#manned(tasks, running) };
  }

  /** Returns a task, or null for an unknown id. */
  async find(id: string): Promise<DeliveryTask | null> {
    const running = await this.#running();
    const task = isId.test(id) ? await findTask(this.#database, id, [...running.keys()]) : null;
    if (task === null) return null;
    const [manned] = await this.#manned([task], running);
    return manned ?? null;
  }

  /** Counts the tasks by state. */
  async count(): Promise<TaskCounts> {
    const rows = await countTasks(this.#database, [...(await this.#running()).keys()]);
    return {
      counts: Object.fromEntries(rows.map(({ status, count }) => [status, count])),
      oldestQueued: rows.find(({ status }) => status === 'queued')?.oldest ?? null,
    };
  }

  /** Requeues a failed delivery with all attempts, or makes a waiting one due now. */
  async requeue(id: string): Promise<void> {
    await this.#running();
    await this.#move(await requeueDelivery(this.#database, id));
    await this.enqueue(id);
  }

  /** Makes a waiting delivery due now. Does nothing if it is being sent. */
  async enqueue(id: string): Promise<void> {
    if ((await this.#running()).has(id)) return;
    await this.#move(await enqueueDelivery(this.#database, id));
  }

  /** Aborts the running attempt of a delivery, which then counts as failed. Returns false if there is no attempt. */
  async stop(id: string): Promise<boolean> {
    const job = (await this.#running()).get(id);
    if (job === undefined) return false;
    // The row is changed first, because the aborted attempt would queue it again.
    await stopDelivery(this.#database, id);
    await this.#cancel(job);
    await this.#move(await wakeNextDelivery(this.#database, id));
    return true;
  }

  /** Deletes a delivery with its attempts, and aborts a running one. Makes the delivery that waited for it due. */
  async remove(id: string): Promise<void> {
    const job = (await this.#running()).get(id);
    const due = await removeDelivery(this.#database, id);
    if (job !== undefined) await this.#cancel(job);
    await this.#move(due);
  }

  /** Adds jobs for due deliveries. If Redis rejects them, the next sweep adds them. */
  async #move(due: DueDelivery[]): Promise<void> {
    await this.#queue.addDue(due, { byHand: true }).catch(() => undefined);
  }

  /** Cancels a job. If no process receives the cancellation, the attempt ends normally and records nothing. */
  async #cancel({ id }: ActiveJob): Promise<void> {
    await this.#jobs.jobs.cancel(this.#jobs.definition, id).catch(() => false);
  }

  /** Returns the running attempts by delivery. Inline first attempts have no job, and their process is unknown. */
  async #running(): Promise<Map<string, ActiveJob>> {
    const { jobs, definition } = this.#jobs;
    const [active, begun] = await Promise.all([jobs.active(definition), listBegun(this.#database)]);
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

  async #manned(tasks: readonly TaskRow[], running: ReadonlyMap<string, ActiveJob>): Promise<DeliveryTask[]> {
    const started = tasks.some(({ status }) => status === 'started');
    const workers = new Map((started ? await this.workers() : []).map((worker) => [worker.name, worker]));
    return tasks.map((task) => {
      const worker = (task.status === 'started' && running.get(task.id)?.worker) || null;
      return { ...task, worker, heartbeat: workers.get(worker ?? '')?.seenAt ?? null };
    });
  }
}
