import { setImmediate } from 'node:timers/promises';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { BadEventQueueError, type ClientEvent, type EventLogOptions, type LogEntryRenderer } from '../src/index.js';
import { plain, range, stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { uniqueName, until } from './queue-test-support.js';

/** Number of log entries that the filters of the test's clients exclude. */
const EXCLUDED = 3_000;

/**
 * Number of the excluded log entry at which a test makes a change. More than one turn of the event loop is needed for
 * the later entries.
 */
const CHANGED_AT = 1_500;

let pool: pg.Pool;
let drop: () => Promise<void>;
let realm: string;

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
});
beforeEach(() => {
  realm = uniqueName();
});
afterEach(() => stopAll());
afterAll(() => drop());

async function startProcess(options: Partial<EventLogOptions> = {}): Promise<TestProcess> {
  const process = new TestProcess(pool, uniqueName(), options);
  await process.log.waitUntilStoreResponds();
  return process;
}

/** Registers a client, and then writes log entries that the client's filter excludes. */
async function clientBehind(process: TestProcess): Promise<TestClient> {
  const client = await TestClient.register(process, realm);
  await process.commit(async (tx) => {
    for (const n of range(0, EXCLUDED)) {
      process.log.write(tx, { realm, audience: { all: true }, event: { type: 'thing', n } });
    }
  });
  await process.log.sweep();
  return client;
}

/** Returns a renderer that excludes the first log entries, and calls `visited` with the number of each entry. */
const filtered =
  (visited: (n: number) => void): LogEntryRenderer =>
  ({ event }) => {
    visited(Number(event['n']));
    return Number(event['n']) < EXCLUDED ? [] : [event];
  };

/** A poll or stream of a client, with its recorded events and outcome. */
interface Reading {
  readonly events: ClientEvent[];
  /** Outcome of the poll or stream: `ended` or an error; undefined while the request continues. */
  end: unknown;
}

type Read = (
  process: TestProcess,
  client: TestClient,
  render: LogEntryRenderer,
  options?: { block?: boolean; signal?: AbortSignal },
) => Reading;

const byPoll: Read = ({ log }, { owner, queueId }, render, { block = true, signal } = {}) => {
  const reading: Reading = { events: [], end: undefined };
  log.poll({ realm, owner, queueId, lastEventId: -1, block, signal }, render).then(
    (events) => {
      reading.events.push(...events);
      reading.end = 'ended';
    },
    (error: unknown) => (reading.end = error),
  );
  return reading;
};

const byStream: Read = ({ log }, { owner, queueId }, render, { signal } = {}) => {
  const reading: Reading = { events: [], end: undefined };
  log.stream({ realm, owner, queueId, lastEventId: -1, signal }, render, {
    onWaiting: () => {},
    onEvents: (events, resume) => {
      reading.events.push(...events);
      resume();
    },
    onEnded: () => (reading.end = 'ended'),
    onFailed: (error) => (reading.end = error),
  });
  return reading;
};

/** Private fields of an event log that the tests access. */
interface LogParts {
  readonly polling: {
    readonly tickets: { findCollection(queueId: string): { ticket: { token: string } | null } | undefined };
    endPollOfQueue(queueId: string, token: string, isRemoved: boolean): void;
  };
  readonly realmTails: { findFollowedLog(realm: string): unknown };
}

/**
 * Ends the pending request for an event queue. Imitates a process to which Redis announces that the queue was removed.
 */
function announceRemoval({ log }: TestProcess, { queueId }: TestClient): void {
  const { polling } = log as unknown as LogParts;
  polling.endPollOfQueue(queueId, polling.tickets.findCollection(queueId)?.ticket?.token ?? '', true);
}

/** Counts the rendered log entries in each turn of the event loop. */
class TurnCounter {
  most = 0;
  #count = 0;
  #isWatching = true;

  constructor() {
    this.#watch();
  }

  add(): void {
    this.most = Math.max(this.most, (this.#count += 1));
  }

  stop(): void {
    this.#isWatching = false;
  }

  #watch(): void {
    this.#count = 0;
    if (this.#isWatching) void setImmediate().then(() => this.#watch());
  }
}

describe.each([
  ['EventLog.poll', byPoll],
  ['EventLog.stream', byStream],
])('%s of a client that is behind the log', (_name, read) => {
  it.each([
    ['in memory', {}],
    ['in Redis', { tailBytes: 5_000 }],
  ])(
    'renders at most 1,000 entries %s per iteration of the event loop, for three clients together',
    async (_place, options) => {
      const process = await startProcess(options);
      const others = [await TestClient.register(process, realm, '2'), await TestClient.register(process, realm, '3')];
      const clients = [await clientBehind(process), ...others];
      await process.change(realm, EXCLUDED);
      const turn = new TurnCounter();
      const readings = clients.map((client) =>
        read(
          process,
          client,
          filtered(() => turn.add()),
        ),
      );
      await until(() => readings.every(({ events }) => events.length > 0));
      turn.stop();
      expect(readings.map(({ events }) => events.map(({ n }) => n))).toEqual([[EXCLUDED], [EXCLUDED], [EXCLUDED]]);
      expect(turn.most).toBeLessThanOrEqual(1_000);
    },
  );

  it('receives an event exactly once that arrives between two parts of a read', async () => {
    const process = await startProcess();
    const client = await clientBehind(process);
    let written: Promise<void> | undefined;
    const render = filtered((n) => {
      if (n === CHANGED_AT) written = process.change(realm, EXCLUDED);
    });
    const reading = read(process, client, render);
    await until(() => reading.events.length > 0);
    await written;
    expect(reading.events.map(({ n }) => n)).toEqual([EXCLUDED]);
  });

  it.each([
    [
      'its client disconnects',
      (_process: TestProcess, _client: TestClient, closing: AbortController) => closing.abort(),
    ],
    ['its process stops', ({ log }: TestProcess) => log.endPolls()],
    ['its queue is removed', announceRemoval],
  ])('ends after the current part of a read when %s', async (name, change) => {
    const process = await startProcess();
    const client = await clientBehind(process);
    const closing = new AbortController();
    let rendered = 0;
    const render = filtered((n) => {
      rendered += 1;
      if (n === CHANGED_AT) change(process, client, closing);
    });
    const reading = read(process, client, render, { signal: closing.signal });
    await until(() => reading.end !== undefined);
    if (read === byStream && name === 'its queue is removed') expect(reading.end).toBeInstanceOf(BadEventQueueError);
    else expect(reading.end).toBe('ended');
    await process.log.sweep();
    const { waiters, streams } = process.log.metrics();
    expect({ events: reading.events, waiters, streams }).toEqual({ events: [], waiters: 0, streams: 0 });
    expect(rendered).toBeLessThanOrEqual(CHANGED_AT + 1_000);
  });

  it('ends when another poll takes over the queue between two parts of a read', async () => {
    const process = await startProcess();
    const client = await clientBehind(process);
    let second: Reading | undefined;
    const first = read(
      process,
      client,
      filtered((n) => {
        if (n === CHANGED_AT)
          second ??= byPoll(
            process,
            client,
            filtered(() => {}),
          );
      }),
    );
    await until(() => first.end !== undefined);
    expect(first).toEqual({ events: [], end: 'ended' });
    await process.change(realm, EXCLUDED);
    await until(() => second?.end !== undefined);
    expect(second?.events.map(({ n }) => n)).toEqual([EXCLUDED]);
    await until(() => process.log.metrics().waiters === 0);
  });
});

describe.each([
  ['EventLog.poll', byPoll],
  ['EventLog.stream', byStream],
])('%s of clients that wait', (_name, read) => {
  it('renders at most 1,000 new entries per iteration of the event loop, for all clients together', async () => {
    const process = await startProcess();
    const clients = await Promise.all(range(0, 8).map((n) => TestClient.register(process, realm, String(n))));
    const turn = new TurnCounter();
    // Few events, because a stream that gets more than 100 at a time reads the rest like a client that is behind.
    const render: LogEntryRenderer = ({ event }) => {
      turn.add();
      return Number(event['n']) % 10 === 0 ? [event] : [];
    };
    const readings = clients.map((client) => read(process, client, render));
    await until(() => process.log.metrics().waiters === clients.length);
    await process.commit(async (tx) => {
      for (const n of range(0, 400)) {
        process.log.write(tx, { realm, audience: { all: true }, event: { type: 'thing', n } });
      }
    });
    await until(() => readings.every(({ events }) => events.length === 40));
    turn.stop();
    for (const { events } of readings) expect(events.map(({ n }) => n)).toEqual(range(0, 40).map((n) => n * 10));
    expect(turn.most).toBeLessThanOrEqual(1_000);
  });
});

describe('EventLog.stream', () => {
  it('does not wait for events when its queue is removed during a check', async () => {
    const process = await startProcess();
    const client = await TestClient.register(process, realm);
    const reading = byStream(process, client, plain);
    const { polling, realmTails } = process.log as unknown as LogParts;
    // The process then reads the log of the realm for the first time, which takes several turns of the event loop.
    while (!polling.tickets.findCollection(client.queueId)?.ticket) await setImmediate();
    expect(realmTails.findFollowedLog(realm)).toBeUndefined();
    announceRemoval(process, client);
    await until(() => realmTails.findFollowedLog(realm) !== undefined);
    await process.log.sweep();
    expect(reading.end).toBeInstanceOf(BadEventQueueError);
    expect(process.log.metrics()).toMatchObject({ streams: 0, waiters: 0 });
  });
});
