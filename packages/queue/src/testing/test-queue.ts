import type { QueuePool } from '../database.js';
import { silentLogger, type QueueLogger, type TraceContext } from '../environment.js';
import type { EventLog } from '../event-log/event-log.js';
import type { Audience } from '../event-log/audience.js';
import type { FaultPointListener } from '../fault-points.js';
import type { JobDefinition } from '../jobs/define-job.js';
import type { JobWithState } from '../jobs/job-with-state.js';
import type { Jobs } from '../jobs/jobs.js';
import type { OutboxMessageType } from '../outbox/outbox-message-type.js';
import type { Outbox } from '../outbox/outbox.js';
import { decodeDatesInJsonValue } from '../payload-json.js';
import { QueueUsageError } from '../queue-usage-error.js';
import { MemoryEventLog } from './memory-event-log.js';
import { describeMemoryJob, type MemoryJob } from './memory-job.js';
import { MemoryJobs } from './memory-jobs.js';
import { MemoryOutbox } from './memory-outbox.js';
import type { MemoryOutboxRowState } from './memory-rows.js';
import { SimulatedCrashError } from './simulated-crash.js';
import { TestClock } from './test-clock.js';
import { TestPool } from './test-pool.js';

/** Options of {@link createTestQueue}. All are optional. */
export interface TestQueueOptions {
  /** Definitions of all jobs of the service, like the option of `Jobs`. Default: none. */
  definitions?: readonly { readonly name: string }[];
  /**
   * Database pool for the transactions of dispatchers and snapshots. Default: a {@link TestPool}, which has no
   * database.
   */
  pool?: QueuePool;
  /** Clock that determines the times of retries, delays, timeouts and heartbeats. */
  clock?: TestClock;
  logger?: QueueLogger;
  /** Function that returns the trace fields of the current request. */
  context?: () => TraceContext;
  /** Called with the name of each fault point that the test reaches, see `simulateCrashAt`. */
  faultPoint?: FaultPointListener;
}

/** Outbox message of a committed transaction, in the form for assertions of a test. */
export interface TestOutboxMessage<I> {
  readonly id: number;
  /** Payload of the outbox message, as it was added. */
  readonly payload: I;
  readonly key: string | null;
  readonly notBefore: Date | null;
  readonly state: MemoryOutboxRowState;
  /** Number of failed dispatches of the outbox message. */
  readonly attempts: number;
  readonly error: string | null;
}

/** A job that was added, in the form for assertions of a test. */
export interface AddedTestJob<I> extends JobWithState {
  /** Payload of the job, as it was added. */
  payload: I;
  /** Earliest time of the next attempt of the job. */
  readyAt: Date;
  priority: number | null;
}

/** Entry of the event log, in the form for assertions of a test. */
export interface TestEventLogEntry {
  readonly event: Readonly<Record<string, unknown>>;
  readonly about: Readonly<Record<string, unknown>>;
  readonly audience: Audience;
}

/** Numbers of outbox rows and job attempts that {@link TestQueue.runOnce} has processed, including failures. */
export interface TestQueueRunResult {
  readonly messages: number;
  readonly jobs: number;
}

/** Maximum number of rounds of {@link TestQueue.runOnce}. The limit detects work that adds itself again without end. */
const MAX_DISPATCH_REPETITIONS = 1_000;

/**
 * Outbox, jobs and event log in memory, for tests of the code that uses them. `outbox`, `jobs` and `events` have the
 * types of the real classes. The test versions need no Redis and no tables. The README lists the guarantees that the
 * test versions lack.
 */
export class TestQueue {
  readonly clock: TestClock;
  readonly pool: QueuePool;
  readonly outbox: Outbox;
  readonly jobs: Jobs;
  readonly events: EventLog;
  private readonly memoryOutbox: MemoryOutbox;
  private readonly memoryJobs: MemoryJobs;
  private readonly memoryEvents: MemoryEventLog;
  private crash: SimulatedCrashError | null = null;

  constructor(options: TestQueueOptions = {}) {
    const { clock = new TestClock(), pool = new TestPool(), definitions = [], logger = silentLogger } = options;
    const { context = () => ({}) } = options;
    this.clock = clock;
    this.pool = pool;
    const faultPoint = (name: string): void => this.reachFaultPoint(name, options.faultPoint);
    const outbox = new MemoryOutbox({ pool, clock, logger, context, faultPoint });
    const rethrowCrash = (): void => this.rethrowCrash();
    this.memoryOutbox = outbox;
    this.memoryJobs = new MemoryJobs({ outbox, definitions, clock, logger, context, faultPoint, rethrowCrash });
    this.memoryEvents = new MemoryEventLog({ outbox, pool, clock });
    // The doubles implement all public members. Only the private ones, which a caller cannot use, are missing.
    this.outbox = this.memoryOutbox as unknown as Outbox;
    this.jobs = this.memoryJobs as unknown as Jobs;
    this.events = this.memoryEvents as unknown as EventLog;
  }

  /**
   * Dispatches all ready outbox rows and runs all ready jobs. Repeats this for newly added rows and jobs, until no row
   * or job is ready. Work that is delayed or waits for a retry becomes ready when the clock is advanced.
   *
   * @throws SimulatedCrashError when the process was to be killed; a further call then acts like a new process
   * @throws QueueUsageError when work is added without end
   * @throws Error of the database, if the pool has one and it is unavailable
   */
  async runOnce(): Promise<TestQueueRunResult> {
    this.crash = null;
    const total = { messages: 0, jobs: 0 };
    for (let round = 0; round < MAX_DISPATCH_REPETITIONS; round += 1) {
      const messages = await this.memoryOutbox.dispatchReadyRows();
      this.rethrowCrash();
      const jobs = await this.memoryJobs.runReadyJobs();
      if (messages + jobs === 0) return total;
      total.messages += messages;
      total.jobs += jobs;
    }
    throw new QueueUsageError(
      `Work was still added after ${MAX_DISPATCH_REPETITIONS} rounds: does a job or message add itself again?`,
    );
  }

  /** Lists the committed outbox messages of a type, oldest first, including dispatched messages. */
  listMessages<P, I>(type: OutboxMessageType<P, I>): TestOutboxMessage<I>[] {
    return this.memoryOutbox.listRowsOfTopic(type.name).map(({ id, row, state, attempts, error }) => ({
      id,
      payload: decodeDatesInJsonValue(JSON.parse(row.payload)) as I,
      key: row.key,
      notBefore: row.notBefore,
      state,
      attempts,
      error,
    }));
  }

  /** Lists the jobs of a kind that were added, oldest first, including ended jobs. */
  listJobs<P, I>(definition: JobDefinition<P, I>): AddedTestJob<I>[] {
    const now = this.clock.now();
    const added = this.memoryJobs.store.added.filter(({ name }) => name === definition.name);
    return added.map((job: MemoryJob) => ({
      ...describeMemoryJob(job, now),
      payload: decodeDatesInJsonValue(job.data.payload) as I,
      readyAt: new Date(job.readyMs),
      priority: job.opts.priority ?? null,
    }));
  }

  /** Lists the committed entries in the event log of a realm, oldest first. */
  listEntries(realm: string): TestEventLogEntry[] {
    return this.memoryEvents.listEntriesOfRealm(realm).map(({ event, eventRoutingFields: about, audience }) => ({
      event,
      about,
      audience: audience.all
        ? { all: true }
        : { users: [...audience.users, ...audience.userTexts], roles: audience.roles },
    }));
  }

  private reachFaultPoint(name: string, listener: FaultPointListener | undefined): void {
    try {
      listener?.(name);
    } catch (error) {
      if (error instanceof SimulatedCrashError) this.crash = error;
      throw error;
    }
  }

  /** Throws the error of a simulated crash, if code of the test has caught the error. */
  private rethrowCrash(): void {
    if (this.crash !== null) throw this.crash;
  }
}

/** Creates an outbox, jobs and an event log in memory, see {@link TestQueue}. */
export const createTestQueue = (options: TestQueueOptions = {}): TestQueue => new TestQueue(options);
