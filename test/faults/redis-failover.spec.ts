import { afterEach, describe, expect, it } from 'vitest';
import { pause } from './abortable-pause.js';
import { ChatCase } from './chat/chat-case.js';
import { ChatUser } from './chat/chat-user.js';
import { EndedCredentials } from './failover/ended-credentials.js';
import { bodyOf, originOf } from './failover/lost-rows.js';
import { type RedisLoss, redisLosses, shortRedisLosses } from './failover/redis-losses.js';
import { compareWithRestartedProcesses } from './failover/restarted-processes.js';
import { waitForWrites, WriteTimes } from './failover/write-times.js';
import { Findings } from './findings.js';
import { InventoryCase } from './inventory/inventory-case.js';
import { InventoryUser } from './inventory/inventory-user.js';
import { printCounts } from './print-counts.js';
import { Random } from './random.js';
import { readFaultSettings } from './settings.js';
import { type RedisKind, type ReplicatedRedis, startReplicatedRedis } from './stores/replicated-redis.js';
import { type StoreAddresses, sharedStores } from './stores/stores.js';

const settings = readFaultSettings();
const random = new Random(settings.seed);

/** Number of writes of each service in each step of the test. */
const writesPerStep = settings.losesPrimaryInAllWays ? 40 : 20;
/** Minimum number of writes of each service that the replica lacks. */
const lostWrites = 5;
/** Maximum time for the writes of one step of the test, in milliseconds. */
const stepMs = 180_000;
/**
 * Maximum time in milliseconds from the promotion of the replica until each event queue has returned events, and each
 * process uses the new primary. Both forms of the test print the times. Only the long form checks the maximum, because
 * the machine of a short run may be busy.
 */
const firstEventsMs = 10_000;
/**
 * Time in milliseconds for which the services retain the rows of events that Redis has stored. A replica that lacks only
 * later events gets all of them again, so that no event queue is refused.
 */
const rowRetentionMs = 10_000;
const testTimeoutMs = 900_000;
/** Pause between two rounds of requests that read Redis, in milliseconds. */
const readPauseMs = 250;

interface Load {
  readonly redis: ReplicatedRedis;
  readonly stores: StoreAddresses;
  readonly chat: ChatCase;
  readonly inventory: InventoryCase;
  readonly services: readonly (ChatCase | InventoryCase)[];
  readonly findings: Findings;
}

let stops: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const stop of stops.toReversed()) await stop();
  stops = [];
}, 300_000);

async function startLoad(kind: RedisKind): Promise<Load> {
  const findings = new Findings();
  const [redis, shared] = await Promise.all([
    startReplicatedRedis(kind),
    sharedStores('redis-failover', ['chat', 'inventory']),
  ]);
  stops.push(() => redis.stop());
  const stores = { ...shared, redisUrl: redis.url };
  const { readingUsers, writePauseMs } = settings;
  const parts = { stores, random: random.fork(), findings, apis: 2, workers: 1, writePauseMs };
  // Development has no limits. These limits are never reached, but each request is counted in Redis.
  const env = { RATE_LIMIT_API_BY_USER: '60:1000000', RATE_LIMIT_API_BY_IP: '60:1000000' };
  const [chat, inventory] = await Promise.all([
    ChatCase.start({ ...parts, readingUsers, releases: [{ name: '', env }] }),
    InventoryCase.start({ ...parts, doingAll: 0 }),
  ]);
  const services = [chat, inventory];
  stops.push(async () => void (await Promise.all(services.map((one) => one.stop()))));
  await chat.begin();
  inventory.begin();
  return { redis, stores, chat, inventory, services, findings };
}

/** Sends requests whose responses contain data from Redis, until the returned function is called. */
async function startReads({ chat, inventory }: Load): Promise<() => Promise<void>> {
  const stopped = new AbortController();
  const user = await ChatUser.signIn(chat.deployment.proxy.origin, 'desdemona');
  const admin = new InventoryUser(inventory.deployment.proxy.origin);
  const register = { fetch_event_types: '["message"]', idle_queue_timeout: '5' };
  const reads = [
    () => user.call('POST', 'register', register),
    () => admin.call('GET', 'core/background-queues/'),
    () => admin.call('GET', 'core/background-workers/'),
  ];
  const reading = Promise.all(
    reads.map(async (read) => {
      for (; !stopped.signal.aborted; await pause(readPauseMs, stopped.signal)) await read();
    }),
  );
  const stop = async (): Promise<void> => {
    stopped.abort();
    await reading;
  };
  stops.push(stop);
  return stop;
}

/** Waits until each API process responds to a request that needs Redis. Returns the duration in milliseconds. */
async function waitForRedisInEachProcess({ chat, inventory }: Load): Promise<number> {
  const startedAt = performance.now();
  const user = await ChatUser.signIn(chat.deployment.proxy.origin, 'desdemona');
  const register = { fetch_event_types: '["message"]', idle_queue_timeout: '5' };
  const requests = [
    ...chat.deployment.apis.map((one) => () => user.at(originOf(one)).call('POST', 'register', register)),
    ...inventory.deployment.apis.map(
      (one) => () => new InventoryUser(originOf(one)).call('GET', 'core/background-queues/'),
    ),
  ];
  await Promise.all(
    requests.map(async (request) => {
      for (let outcome = await request(); bodyOf(outcome) === null; outcome = await request()) {
        const waitedMs = performance.now() - startedAt;
        if (waitedMs > stepMs) throw new Error(`after ${waitedMs} ms a process responds ${JSON.stringify(outcome)}`);
        await pause(50);
      }
    }),
  );
  return performance.now() - startedAt;
}

/** Checks that all service processes run, and that no response had an unexpected status. */
function checkProcesses({ services, findings }: Load): void {
  for (const { deployment } of services) {
    deployment.checkRunning(findings);
    const { cut, refused, unexpectedErrors } = deployment.proxy;
    findings.check(cut + refused === 0, () => `${cut + refused} requests got no response`);
    for (const line of new Set(unexpectedErrors)) findings.add(line);
  }
}

async function loseRedisPrimary(kind: RedisKind, loss: RedisLoss): Promise<void> {
  const load = await startLoad(kind);
  const { redis, stores, chat, inventory, services, findings } = load;
  const stopReads = await startReads(load);
  const times = services.map((one) => new WriteTimes(one));
  const watched = new AbortController();
  const watching = Promise.all(times.map((one) => one.watch(watched.signal)));
  const writeMore = (count: number): Promise<number[]> =>
    Promise.all(services.map((one) => waitForWrites(one, count, stepMs)));
  const readMore = async (since: number): Promise<number> => {
    await Promise.all(chat.readers.map((reader) => reader.next()));
    return performance.now() - since;
  };
  await writeMore(writesPerStep);

  const pair = await redis.findPair(`${stores.prefix}chat`);
  const ended = await EndedCredentials.start(chat, inventory, findings);
  stops.push(() => ended.stop());
  const cutAt = performance.now();
  if (loss.cutsReplication) {
    await pair.cutReplication();
    await writeMore(lostWrites);
  }
  await ended.endFirst();
  const lostBytes = await pair.readMissingBytes();
  const ending = ended.endDuringLoss();
  const cutMs = performance.now() - cutAt;
  const waitForReturn = await loss.run(pair);
  const promotedAt = performance.now();
  const [firstEvents, redisInEachProcess] = await Promise.all([
    readMore(promotedAt),
    waitForRedisInEachProcess(load),
    ending,
  ]);
  await writeMore(writesPerStep);
  if (waitForReturn !== null) {
    await waitForReturn();
    await Promise.all([writeMore(writesPerStep), readMore(promotedAt), waitForRedisInEachProcess(load)]);
  }
  watched.abort();
  await watching;
  await stopReads();
  const credentials = await ended.finish();
  checkProcesses(load);

  const writes = services.reduce((sum, one) => sum + one.writes, 0);
  const [messages, deliveries] = await Promise.all([chat.end(), inventory.end()]);
  printCounts(`of a failover of Redis by ${kind} whose primary ${loss.name}`, settings, {
    writes,
    losses: messages.unstored + deliveries.unstored + messages.lost + deliveries.lost,
    'not replicated (bytes)': lostBytes,
    chat: messages,
    inventory: deliveries,
    'ended credentials': credentials,
    'first events after the promotion (ms)': Math.round(firstEvents),
    'Redis in each process after the promotion (ms)': Math.round(redisInEachProcess),
    'longest gap between writes (ms)': times.map(({ longestGapMs }) => Math.round(longestGapMs)).join(', '),
  });
  if (loss.cutsReplication) findings.check(lostBytes > 0, () => 'the replica had all writes of the primary');
  // On a slow machine the replica may lack events whose rows were already removed.
  const maxRefusals = loss.cutsReplication && cutMs >= rowRetentionMs ? 1 : 0;
  for (const { name, refused } of chat.readers) {
    findings.check(refused <= maxRefusals, () => `${name}: queue refused ${refused} times`);
  }
  for (const ms of settings.comparesTimes ? [firstEvents, redisInEachProcess] : []) {
    findings.check(ms <= firstEventsMs, () => `events or processes were unavailable for ${ms} ms`);
  }
  if (settings.losesPrimaryInAllWays) {
    for (const line of await compareWithRestartedProcesses(chat, inventory)) findings.add(line);
  }
  expect(findings.lines).toEqual([]);
}

describe('failover of Redis by Sentinel', () => {
  const losses = settings.losesPrimaryInAllWays ? redisLosses : shortRedisLosses;

  it.each(losses.map((loss) => [loss.name, loss] as const))(
    'loses no write, event, webhook or end of a credential when the primary %s',
    (_, loss: RedisLoss) => loseRedisPrimary('Sentinel', loss),
    testTimeoutMs,
  );
});

// The short form has only the case above.
if (settings.losesPrimaryInAllWays) {
  describe('failover of Redis Cluster', () => {
    it.each(redisLosses.map((loss) => [loss.name, loss] as const))(
      'loses no write, event, webhook or end of a credential when the primary %s',
      (_, loss: RedisLoss) => loseRedisPrimary('Cluster', loss),
      testTimeoutMs,
    );
  });
}
