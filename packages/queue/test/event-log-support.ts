import { expect } from 'vitest';
import {
  EventLog,
  Outbox,
  withOutbox,
  type Audience,
  type ClientEvent,
  type EventLogOptions,
  type QueuePool,
  type QueueTx,
  type EventQueueRegistrationOptions,
  type TransactionHandle,
  type LogEntryRenderer,
} from '../src/index.js';
import { testPool, TestTransaction, until } from './queue-test-support.js';
import { storeOptions } from './stored-log.js';

/** Renderer that returns the event of each log entry unchanged. */
export const plain: LogEntryRenderer = (entry) => [entry.event];

/** Creates a database with the table `things`, whose rows the tests change. */
export async function thingsPool(): ReturnType<typeof testPool> {
  const made = await testPool();
  await made.pool.query('CREATE TABLE things (id bigint GENERATED ALWAYS AS IDENTITY, realm text, n int)');
  return made;
}

const running: TestProcess[] = [];

/**
 * The event log and outbox of one process of a service. Maintenance intervals are long, so that the tests themselves
 * start each maintenance run.
 */
export class TestProcess {
  readonly outbox: Outbox;
  readonly log: EventLog;

  constructor(
    readonly pool: QueuePool,
    readonly prefix: string,
    options: Partial<EventLogOptions> = {},
  ) {
    this.outbox = new Outbox({ pool, prefix });
    const times = { sweepMs: 60_000, collectMs: 0, rowRetentionMs: 60_000 };
    this.log = new EventLog({ outbox: this.outbox, pool, ...storeOptions(), prefix, ...times, ...options });
    running.push(this);
  }

  /**
   * Changes a row of table `things`, writes an event, and commits. The event is then appended to the log, unless the
   * field `dies` of the process is set.
   */
  async change(realm: string, n: number, audience: Audience = { all: true }, dies = false): Promise<void> {
    const work = async (tx: TransactionHandle): Promise<void> => {
      await tx.query('INSERT INTO things (realm, n) VALUES ($1, $2)', [realm, n]);
      this.log.write(tx, { realm, audience, event: { type: 'thing', n } });
    };
    // Services that cannot send COMMIT right behind another statement number their rows after the commit.
    if (!dies && n % 2 === 0) return withOutbox(this.pool, this.outbox, work);
    await this.commit(work, { dies, numbers: !dies });
  }

  /**
   * Runs a transaction in the way of `@switchboard/database`. If the field `dies` is set, the process does nothing
   * after the commit.
   */
  async commit(
    work: (tx: TransactionHandle) => Promise<void>,
    { dies = false, numbers = true, begin = 'BEGIN' }: { dies?: boolean; numbers?: boolean; begin?: string } = {},
  ): Promise<void> {
    const connection = await this.pool.connect();
    const tx = new TestTransaction(connection);
    try {
      await tx.query(begin);
      await work(tx);
      const flushed = this.outbox.flush(tx, { commitFollows: numbers });
      await Promise.all([tx.end('COMMIT'), flushed]);
    } finally {
      connection.release();
    }
    if (!dies) this.outbox.dispatchAfterCommit(tx);
  }

  async stop(): Promise<void> {
    await this.log.stop();
    await this.outbox.stop();
  }
}

export async function stopAll(): Promise<void> {
  await Promise.all(running.splice(0).map((process) => process.stop()));
}

/** Options with which a {@link TestClient} registers. */
export type ClientOptions = Partial<Omit<EventQueueRegistrationOptions, 'realm' | 'owner'>>;

/** A client that applies events to its snapshot, and checks that event ids only increase (invariant I6). */
export class TestClient {
  lastEventId = -1;
  readonly things: number[] = [];
  readonly received: ClientEvent[] = [];
  /** Controller that ends the event stream of the client. */
  private following = new AbortController();
  /** Error in an event that a stream received. The client's next poll throws this error. */
  private problem: unknown = null;

  private constructor(
    readonly realm: string,
    readonly owner: string,
    public queueId: string,
    private readonly options: ClientOptions,
  ) {}

  static async register(
    { log }: TestProcess,
    realm: string,
    owner = '1',
    options: ClientOptions = {},
  ): Promise<TestClient> {
    const { queueId, snapshot } = await log.register(
      { realm, owner, idleTimeoutSeconds: 600, filter: {}, capabilities: {}, ...options },
      readThings(realm),
    );
    const client = new TestClient(realm, owner, queueId, options);
    client.things.push(...snapshot);
    return client;
  }

  async poll({ log }: TestProcess, block = false, signal?: AbortSignal): Promise<ClientEvent[]> {
    this.following.abort();
    if (this.problem !== null) throw this.problem;
    const { realm, owner, queueId, lastEventId } = this;
    const events = await log.poll({ realm, owner, queueId, lastEventId, block, signal }, plain);
    this.receive(events);
    return events;
  }

  /**
   * Receives events over a stream, which ends at the client's next poll. Resolves when all past events were received or
   * the stream has ended.
   */
  follow({ log }: TestProcess): Promise<void> {
    this.following.abort();
    this.following = new AbortController();
    const { realm, owner, queueId, lastEventId } = this;
    const { signal } = this.following;
    return new Promise((resolve, reject) =>
      log.stream({ realm, owner, queueId, lastEventId, signal }, plain, {
        onWaiting: resolve,
        onEvents: (events, resume) => {
          try {
            this.receive(events);
          } catch (error) {
            this.problem = error;
          }
          resume();
        },
        onEnded: resolve,
        onFailed: reject,
      }),
    );
  }

  private receive(events: readonly ClientEvent[]): void {
    for (const event of events) {
      expect(event.id).toBeGreaterThan(this.lastEventId);
      this.lastEventId = event.id;
      this.received.push(event);
      if (event.type === 'thing') this.things.push(Number(event.n));
    }
  }

  /**
   * Registers the client again, to continue its former event queue. Applies the returned delta to the client's state,
   * and checks that the state equals the snapshot. If the registration has no delta, replaces the state by the
   * snapshot. Returns the delta.
   */
  async registerAgain({ log }: TestProcess, changed: ClientOptions = {}): Promise<ClientEvent[] | null> {
    this.following.abort();
    const { realm, owner, queueId, lastEventId } = this;
    const lastKnown = { queueId, lastEventId, render: plain };
    const registered = await log.register(
      { realm, owner, idleTimeoutSeconds: 600, filter: {}, capabilities: {}, lastKnown, ...this.options, ...changed },
      async (tx, isDelta) => ({ isDelta, things: await readThings(realm)(tx) }),
    );
    const { delta, snapshot } = registered;
    expect(snapshot.isDelta).toBe(delta !== null);
    const state = delta === null ? snapshot.things : [...this.things, ...delta.map(({ n }) => Number(n))];
    expect(state.toSorted((a, b) => a - b)).toEqual(snapshot.things.toSorted((a, b) => a - b));
    for (const [index, { id }] of (delta ?? []).entries())
      expect(id).toBeGreaterThan(delta?.[index - 1]?.id ?? lastEventId);
    this.things.splice(0, this.things.length, ...state);
    this.queueId = registered.queueId;
    this.lastEventId = registered.lastEventId;
    return delta;
  }

  /** Polls until the client has received `count` events. */
  async collect(process: TestProcess, count: number): Promise<number[]> {
    await until(async () => {
      await this.poll(process);
      return this.things.length >= count;
    });
    return this.things;
  }
}

export const readThings =
  (realm: string) =>
  async (tx: QueueTx): Promise<number[]> => {
    const { rows } = await tx.query<{ n: number }>('SELECT n FROM things WHERE realm = $1 ORDER BY id', [realm]);
    return rows.map((row) => row.n);
  };

export const range = (from: number, to: number): number[] => Array.from({ length: to - from }, (_, n) => from + n);
