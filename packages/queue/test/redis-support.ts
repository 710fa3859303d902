import { defineJob, defineOutboxMessage, type EventLogOptions, type RedisTarget } from '../src/index.js';
import { EventLog, Jobs, Outbox, withOutbox, type QueuePool } from '../src/index.js';
import { plain } from './event-log-support.js';
import { payload } from './jobs-support.js';
import { until } from './queue-test-support.js';

const topic = defineOutboxMessage({ name: 'rung', version: 1, payload });

/** Names of kinds of jobs. The keys of each kind are in a different hash slot of the Redis Cluster. */
const kinds = ['one', 'two', 'three', 'four', 'five', 'six'].map((name) =>
  defineJob({
    name,
    payload,
    attempts: 2,
    backoff: { initialMs: 10, maxMs: 10 },
    rateLimit: { key: ({ n }) => (n > 1 ? `to ${n}` : null), max: 2, perMs: 50 },
  }),
);

/** A process that uses every part of this package with the given Redis servers. */
export class WholeProcess {
  readonly ran: string[] = [];
  readonly dispatched: number[] = [];
  readonly outbox: Outbox;
  readonly jobs: Jobs;
  readonly log: EventLog;

  constructor(
    private readonly pool: QueuePool,
    redis: RedisTarget,
    prefix: string,
    role: 'api' | 'worker',
    options: Partial<EventLogOptions> = {},
  ) {
    this.outbox = new Outbox({ pool, redis, prefix, sweepMs: 600_000 });
    // There are no sweeps, and the committing process has no dispatcher, so only a wakeup brings a row to a worker.
    if (role === 'worker') {
      this.outbox.dispatch(topic, async (rows) => void this.dispatched.push(...rows.map((row) => row.payload.n)));
    }
    this.jobs = new Jobs({ redis, prefix, definitions: kinds, stopGraceMs: 100, stalledAfterMs: 1_000 });
    for (const kind of kinds) {
      this.jobs.handle(kind, async ({ n }) => {
        if (n === 0) throw new Error('down');
        this.ran.push(`${kind.name} ${n}`);
      });
    }
    this.log = new EventLog({ outbox: this.outbox, pool, redis, prefix, sweepMs: 500, ...options });
    void this.outbox.start(role);
    if (role === 'worker') this.jobs.start();
    this.log.start();
  }

  /** Returns a promise that resolves when the process can use Redis. */
  async ready(): Promise<void> {
    await this.log.waitUntilStoreResponds(10_000);
    await until(() => this.jobs.metrics().then(Boolean, () => false));
  }

  /** Adds five kinds of jobs: plain, in bulk, delayed, rate-limited, and failing. Returns the expected runs. */
  async addOfEachKind(): Promise<string[]> {
    for (const kind of kinds) {
      await this.jobs.add(kind, { n: 1 }, { id: `${kind.name}/1` });
      const limited = [2, 2, 2, 3].map((n) => ({ payload: { n } }));
      await this.jobs.addBulk(kind, [{ payload: { n: 1 }, delayMs: 100 }, { payload: { n: 0 } }, ...limited]);
    }
    return kinds.flatMap(({ name }) => [1, 1, 2, 2, 2, 3].map((n) => `${name} ${n}`)).toSorted();
  }

  /**
   * Commits outbox rows until the process `worker` has dispatched a row because of a wakeup. Several rows may be
   * needed, because the first wakeup may be sent before the Redis connection is open.
   */
  async ring(worker: WholeProcess): Promise<void> {
    const before = worker.dispatched.length;
    await until(async () => {
      await withOutbox(this.pool, this.outbox, async (tx) => this.outbox.add(tx, topic, { n: 1 }));
      return worker.dispatched.length > before;
    }, 10_000);
  }

  /** Commits an event for all users of a realm. */
  write(realm: string, n: number): Promise<void> {
    const event = { type: 'thing', n };
    return withOutbox(this.pool, this.outbox, async (tx) =>
      this.log.write(tx, { realm, audience: { all: true }, event }),
    );
  }

  /** Registers a client of a realm for events at this process. */
  async register(realm: string): Promise<RealmClient> {
    const queue = { realm, owner: '1', idleTimeoutSeconds: 600, filter: {}, capabilities: {} };
    const { queueId } = await this.log.register(queue, async () => null);
    return new RealmClient(realm, queueId);
  }

  async stop(): Promise<void> {
    await Promise.all([this.log.stop(), this.jobs.stop()]);
    await this.outbox.stop();
  }
}

/** A client that polls its event queue at any process. */
export class RealmClient {
  readonly seen: unknown[] = [];
  private lastEventId = -1;

  constructor(
    private readonly realm: string,
    private readonly queueId: string,
  ) {}

  /** Polls a process until the client has received `count` events. Repeats polls while Redis is unavailable. */
  async receive({ log }: WholeProcess, count: number, timeoutMs = 10_000): Promise<unknown[]> {
    const { realm, queueId } = this;
    const signal = AbortSignal.timeout(timeoutMs);
    await until(async () => {
      const { lastEventId } = this;
      const request = { realm, owner: '1', queueId, lastEventId, block: true, signal };
      const events = await log.poll(request, plain).catch((error: Error) => {
        if (error.name !== 'EventLogUnavailableError') throw error;
        return [];
      });
      for (const event of events) {
        this.lastEventId = event.id;
        if (event.type === 'thing') this.seen.push(event['n']);
      }
      return this.seen.length >= count;
    }, timeoutMs);
    return this.seen;
  }
}
