import { createServer, connect, type Server, type Socket } from 'node:net';
import { once } from 'node:events';
import type pg from 'pg';
import { afterAll, afterEach, beforeAll, expect, it } from 'vitest';
import { EventLogUnavailableError } from '../src/index.js';
import { processClock, silentLogger, type QueueClock } from '../src/environment.js';
import type { EventLogDispatcher } from '../src/event-log/log-dispatcher.js';
import type { EventLogStore } from '../src/event-log/event-log-store.js';
import { listRealmsWithLogs } from '../src/event-log/number-log-rows.js';
import { EventLogMaintenanceLoop } from '../src/event-log/maintenance-loop.js';
import { stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { redisUrl, uniqueName, until } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
});
afterEach(() => stopAll());
afterAll(() => drop());

/**
 * Proxy between tests and Redis. After a call of `deafen`, the proxy silently drops the data of subscribing
 * connections.
 */
class DeafWay {
  private isDeaf = false;
  private readonly lost = new Set<Socket>();
  private readonly sockets = new Set<Socket>();
  private readonly server: Server = createServer((client) => this.join(client));

  async start(): Promise<string> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    const address = this.server.address();
    if (address === null || typeof address === 'string') throw new Error('no address');
    const url = new URL(redisUrl);
    url.port = String(address.port);
    url.hostname = '127.0.0.1';
    return url.href;
  }

  deafen(): void {
    this.isDeaf = true;
  }

  /** Ends the loss of data and closes both ends of the connections whose data was dropped. */
  repair(): void {
    this.isDeaf = false;
    for (const socket of this.lost) socket.destroy();
  }

  stop(): void {
    this.server.close();
    for (const socket of this.sockets) socket.destroy();
  }

  private join(client: Socket): void {
    const { hostname, port } = new URL(redisUrl);
    const redis = connect(Number(port || 6379), hostname);
    for (const socket of [client, redis]) {
      this.sockets.add(socket);
      socket.on('error', () => {});
    }
    client.on('data', (sent) => {
      if (this.isDeaf && /subscribe/i.test(sent.toString('latin1'))) this.lost.add(client);
      if (!this.lost.has(client)) redis.write(sent);
    });
    redis.on('data', (responded) => client.write(responded));
    client.on('close', () => redis.destroy());
    redis.on('close', () => client.destroy());
  }
}

/** Clock on which every delay takes a tenth of its real time. */
const quick: QueueClock = { ...processClock, setTimeout: (run, ms) => processClock.setTimeout(run, ms / 10) };

/** Creates realms, and returns the realms in the order in which the periodic check processes them. */
async function makeRealms(): Promise<string[]> {
  await pool.query('TRUNCATE queue.outbox, queue.event_log');
  const process = new TestProcess(pool, uniqueName());
  await process.log.waitUntilStoreResponds();
  for (const realm of [uniqueName(), uniqueName()]) await process.change(realm, 1);
  await until(async () => (await listRealmsWithLogs({ pool, schema: 'queue' })).length === 2);
  return (await listRealmsWithLogs({ pool, schema: 'queue' })).map(({ realm }) => realm);
}

/**
 * Returns a maintenance loop that calls the given functions. Records the names of the realms in the order in which the
 * loop checks them.
 */
function upkeepOver(work: Partial<Pick<EventLogDispatcher, 'repairEventLogOfRealm' | 'numberAllRows'>>) {
  const swept: string[] = [];
  const dispatcher = {
    numberAllRows: work.numberAllRows ?? (async () => {}),
    repairEventLogOfRealm: async (realm: string) => {
      swept.push(realm);
      await work.repairEventLogOfRealm?.(realm);
    },
  };
  const readLogStatusWithQueueCount = async () => ({ epoch: 1, last: 1, floor: 0, queues: 0 });
  const store = { trimLog: async () => {}, readLogStatusWithQueueCount };
  const times = { sweepMs: 600_000, collectMs: Infinity, tombstoneMs: 0, logHardCap: 100, logCapBytes: 1_000_000 };
  const upkeep = new EventLogMaintenanceLoop({
    tables: { pool, schema: 'queue' },
    store: store as unknown as EventLogStore,
    dispatcher: dispatcher as unknown as EventLogDispatcher,
    clock: processClock,
    logger: silentLogger,
    dropIdle: () => {},
    confirm: async () => {},
    ...times,
  });
  return { upkeep, swept };
}

it('EventLog maintains all other realms when the maintenance of one realm fails', async () => {
  const realms = await makeRealms();
  const fails = async (realm: string): Promise<void> => {
    if (realm === realms[0]) throw new Error('no');
  };
  const { upkeep, swept } = upkeepOver({ repairEventLogOfRealm: fails, numberAllRows: fails });
  await upkeep.runMaintenanceRound();
  expect(swept).toEqual(realms);
});

it('EventLog repairs all realms immediately after Redis is available again', async () => {
  const realms = await makeRealms();
  let release: (() => void) | null = null;
  const { upkeep, swept } = upkeepOver({
    repairEventLogOfRealm: () =>
      release === null ? new Promise<void>((resolve) => (release = resolve)) : Promise.resolve(),
  });
  upkeep.startMaintenance();
  await until(() => release !== null);
  upkeep.startMaintenanceRoundNow();
  release!();
  await until(() => swept.length === 4);
  expect(swept).toEqual([...realms, ...realms]);
  await upkeep.stopMaintenance();
});

it.each([
  ['in time', async () => {}],
  ['also when the process stops', (process: TestProcess) => process.stop()],
])('EventLog rejects the poll %s when a subscription to Redis fails', async (_, meanwhile) => {
  const way = new DeafWay();
  try {
    const [prefix, realm] = [uniqueName(), uniqueName()];
    const redis = await way.start();
    const writer = new TestProcess(pool, prefix);
    const process = new TestProcess(pool, prefix, { redis, clock: meanwhile.length === 0 ? quick : processClock });
    await Promise.all([writer.log.waitUntilStoreResponds(), process.log.waitUntilStoreResponds()]);
    const client = await TestClient.register(writer, realm);
    await writer.change(realm, 1);
    way.deafen();
    const poll = client.poll(process, true);
    const refused = expect(poll).rejects.toThrow(EventLogUnavailableError);
    await until(() => process.log.metrics().realms === 1);
    await meanwhile(process);
    await refused;
    way.repair();
    if (meanwhile.length === 0) expect(await client.collect(process, 1)).toEqual([1]);
  } finally {
    way.stop();
  }
});
