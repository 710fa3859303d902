import type { QueuePool, QueueTx } from '../database.js';
import {
  definedOnly,
  errorText,
  processClock,
  silentLogger,
  type QueueClock,
  type QueueLogger,
  type TraceContext,
} from '../environment.js';
import type { RedisTarget } from '../redis.js';
import { BatchDrain, type Dispatcher, type DrainSettings } from './batch-drain.js';
import { RowBuffer, type DrainTarget, type NewRow } from './buffer.js';
import { Doorbell } from './doorbell.js';
import { Lanes } from './lanes.js';
import { Pace } from './pace.js';
import { listSetAside, readDepth, requeueRows, waitingTargets, type SetAsideRow, type TopicDepth } from './rows.js';
import { QueueUsageError, type Topic } from './topic.js';

/** What a process does for the queue layer: `api` drains what it commits itself; the others also what anybody left. */
export type QueueRole = 'api' | 'worker' | 'all';

/** What {@link Outbox} is made of. Times in milliseconds. */
export interface OutboxOptions extends Partial<DrainSettings> {
  pool: QueuePool;
  /** For the doorbell. Without it rows of topics that are dispatched elsewhere wait for the sweep there. */
  redis?: RedisTarget;
  /** Prefix of all keys, one a deployment. Default `switchboard`. */
  prefix?: string;
  logger?: QueueLogger;
  clock?: QueueClock;
  /** Time between two sweeps. Default 5,000. */
  sweepMs?: number;
  /** False: never drain in the process that committed, always ring. Default true. */
  drainAfterCommit?: boolean;
  /** The request being served, stored with each row and handed to dispatchers and jobs. */
  context?: () => TraceContext;
}

/** Options of {@link Outbox.add}. */
export interface AddOptions {
  /** Rows of one key keep their order on topics with `order: 'key'`, where it is required. */
  key?: string;
  /** Not dispatched before this moment; seen by the sweep, so up to its period later. */
  notBefore?: Date;
}

/** Settings that hold unless told otherwise. */
export const outboxDefaults = {
  prefix: 'switchboard',
  sweepMs: 5_000,
  batchSize: 100,
  maxAttempts: 10,
  retryDelayMs: 1_000,
  paceMs: 20,
  drainAfterCommit: true,
} as const;

type Drain = (realm: string) => Promise<void>;

/**
 * Work that leaves with a commit: {@link add} puts a row into the caller's transaction, and after its commit a
 * dispatcher receives the row at least once, however many processes die on the way.
 */
export class Outbox {
  private readonly buffer = new RowBuffer();
  private readonly lanes = new Lanes();
  private readonly drains = new Map<string, Drain>();
  private readonly batches: { readonly dispatched: number }[] = [];
  private readonly paces: Pace[] = [];
  private readonly doorbell: Doorbell | null;
  private readonly settings: Required<Omit<OutboxOptions, 'redis'>>;
  private sweepTimer: unknown;
  private role: QueueRole | 'stopped' = 'stopped';

  constructor(options: OutboxOptions) {
    this.settings = {
      ...outboxDefaults,
      logger: silentLogger,
      clock: processClock,
      context: () => ({}),
      ...definedOnly(options),
    };
    const { prefix, logger } = this.settings;
    this.doorbell = options.redis === undefined ? null : new Doorbell({ redis: options.redis, prefix, logger });
  }

  /**
   * Adds a row to the caller's transaction. It is validated now and inserted by {@link flush}.
   *
   * @throws ZodError when the payload does not fit the topic
   * @throws QueueUsageError when an ordered topic gets no key
   */
  add<P>(tx: QueueTx, topic: Topic<P>, payload: P, options: AddOptions = {}): void {
    if (topic.order === 'key' && options.key === undefined) {
      throw new QueueUsageError(`Topic ${topic.name} keeps order by key: give one`);
    }
    this.addRow(tx, {
      topic: topic.name,
      realm: '',
      version: topic.version,
      payload: JSON.stringify(topic.payload.parse(payload)),
      key: options.key ?? null,
      notBefore: options.notBefore ?? null,
      audience: null,
      weight: 1,
    });
  }

  /** Buffers a row of any topic. For the parts of this package that have topics of their own. @internal */
  addRow(tx: QueueTx, row: Omit<NewRow, 'context'>): void {
    const context = this.settings.context();
    const known = context.requestId !== undefined || context.traceparent !== undefined;
    this.buffer.add(tx, { ...row, context: known ? JSON.stringify(context) : null });
  }

  /** Inserts all rows added to `tx`, in one statement. Call it as the last thing before COMMIT. */
  flush(tx: QueueTx): Promise<void> {
    return this.buffer.flush(tx);
  }

  /** Call it after a confirmed COMMIT. Drains outside the caller's path, or rings. Never throws, never waits. */
  committed(tx: QueueTx): void {
    const { targets, forgotten } = this.buffer.take(tx);
    if (forgotten > 0) this.settings.logger.error({ forgotten }, 'outbox rows were added and never flushed');
    for (const target of targets) this.wake(target);
  }

  /** Asks for a drain of `target`: here if this process dispatches the topic, else by the doorbell. @internal */
  wake(target: DrainTarget): void {
    const here = this.settings.drainAfterCommit && this.drains.has(target.topic);
    if (!here) return this.doorbell?.ring(target);
    this.drain(target).catch((error: unknown) => {
      this.settings.logger.warn({ ...target, error: errorText(error) }, 'drain failed, the sweep will try again');
    });
  }

  /**
   * Dispatches rows of `topic` in this process. Call it before {@link start}.
   * @throws QueueUsageError when the topic has a dispatcher already
   */
  dispatch<P>(topic: Topic<P>, dispatcher: Dispatcher<P>, settings: Partial<DrainSettings> = {}): void {
    const { pool, logger, clock, batchSize, maxAttempts, retryDelayMs, paceMs } = this.settings;
    const merged = { batchSize, maxAttempts, retryDelayMs, paceMs, ...definedOnly(settings) };
    const batch = new BatchDrain(pool, topic, dispatcher, merged, logger);
    const pace = new Pace(merged.paceMs, clock);
    this.dispatchBy(topic.name, () => pace.run(() => batch.drain()));
    this.batches.push(batch);
    this.paces.push(pace);
  }

  /** Sets how a topic is drained. For the event log. @internal */
  dispatchBy(topic: string, drain: Drain): void {
    if (this.drains.has(topic)) throw new QueueUsageError(`Topic ${topic} has two dispatchers`);
    this.drains.set(topic, drain);
  }

  /** Begins to answer the doorbell and to sweep (roles `worker` and `all`). Needs no Redis to be there. */
  start(role: QueueRole): void {
    this.role = role;
    if (role === 'api') return;
    for (const topic of this.drains.keys()) this.doorbell?.listen(topic, (target) => this.drain(target));
    this.scheduleSweep(0);
  }

  /** Takes nothing new, finishes the batches in hand, closes Redis. Rows that remain belong to whoever runs next. */
  async stop(): Promise<void> {
    this.role = 'stopped';
    this.settings.clock.clearTimeout(this.sweepTimer);
    for (const pace of this.paces) pace.hurry();
    await this.doorbell?.close();
    await this.lanes.idle();
  }

  /** Finds what waits for a dispatcher of this process and drains it: rows that a crash left, retries, delayed ones. */
  async sweep(): Promise<void> {
    const targets = await waitingTargets(this.settings.pool);
    const here = targets.filter((target) => this.drains.has(target.topic));
    await Promise.all(here.map((target) => this.drain(target)));
  }

  /** Rows that failed too often, oldest first. */
  listSetAside(topic: string, limit = 100): Promise<SetAsideRow[]> {
    return listSetAside(this.settings.pool, topic, limit);
  }

  /** Gives rows that were set aside (all of the topic, or these ids) a new life, and wakes the topic. Counts them. */
  async requeue(topic: string, ids?: number[]): Promise<number> {
    const count = await requeueRows(this.settings.pool, topic, ids);
    if (count > 0) this.wake({ topic, realm: '' });
    return count;
  }

  /** For metrics: rows waiting and the age of the oldest in seconds, by topic. One statement. */
  depth(): Promise<TopicDepth[]> {
    return readDepth(this.settings.pool);
  }

  /** For metrics: age in seconds of the oldest row that waits, over all topics; 0 when none does. */
  async oldestAgeSeconds(): Promise<number> {
    return Math.max(0, ...(await this.depth()).map((topic) => topic.oldestAgeSeconds));
  }

  /** For metrics: rows this process has dispatched; their rate is the dispatch rate. Event log rows are not in it. */
  dispatchedCount(): number {
    return this.batches.reduce((sum, batch) => sum + batch.dispatched, 0);
  }

  /** Drains now. Settles after a look that began after this call. */
  private drain(target: DrainTarget): Promise<void> {
    const drain = this.drains.get(target.topic);
    if (!drain) return Promise.resolve();
    return this.lanes.request(`${target.topic}\n${target.realm}`, () => drain(target.realm));
  }

  private scheduleSweep(delayMs: number): void {
    this.sweepTimer = this.settings.clock.setTimeout(() => {
      this.sweep()
        .catch((error: unknown) => this.settings.logger.warn({ error: errorText(error) }, 'outbox sweep failed'))
        .finally(() => {
          if (this.role !== 'stopped') this.scheduleSweep(this.settings.sweepMs);
        });
    }, delayMs);
  }
}
