import { connect, createServer, type AddressInfo, type Server, type Socket } from 'node:net';
import { randomUUID } from 'node:crypto';
import { Redis } from 'ioredis';
import { afterEach, beforeEach, describe, expect, it, vi, type Mock } from 'vitest';
import { CredentialCache, RedisCredentialInvalidationNotifier } from '../src/index.js';

const redisUrl = process.env['TEST_REDIS_URL'] ?? '';

interface Person {
  readonly id: number;
}

/** Redis connections and credential cache of one simulated process of a service. */
interface Process {
  redis: Redis;
  invalidations: RedisCredentialInvalidationNotifier;
  cache: CredentialCache<Person>;
  load: Mock<() => Promise<Person | null>>;
  ask(): Promise<Person | null>;
}

const logger = { warn: () => undefined };
const cleanups: (() => void)[] = [];
let channel = '';

async function startProcess(url = redisUrl, options: { retryForMs?: number } = {}): Promise<Process> {
  const redis = new Redis(url, { maxRetriesPerRequest: 0 });
  redis.on('error', () => undefined);
  const invalidations = new RedisCredentialInvalidationNotifier({
    redis,
    channel,
    logger,
    heartbeatMs: 100,
    ...options,
  });
  const cache = new CredentialCache<Person>({
    invalidations,
    clock: { now: () => Date.now() },
    tagsOf: ({ id }) => [`user:${id}`],
  });
  cleanups.push(() => {
    invalidations.close();
    redis.disconnect();
  });
  await invalidations.start();
  const load = vi.fn<() => Promise<Person | null>>(() => Promise.resolve({ id: 1 }));
  return { redis, invalidations, cache, load, ask: () => cache.getOrLoadActor('digest', load) };
}

/** Starts a proxy to Redis that can stop forwarding without closing connections, as if the network cable were cut. */
async function startLine(): Promise<{ url: string; freeze(): void; thaw(): void }> {
  const sockets: Socket[] = [];
  const { hostname, port } = new URL(redisUrl);
  const server: Server = createServer((near) => {
    const far = connect({ host: hostname, port: Number(port) });
    sockets.push(near, far);
    near.pipe(far).pipe(near);
    near.on('error', () => far.destroy());
    far.on('error', () => near.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  cleanups.push(() => {
    for (const socket of sockets) socket.destroy();
    server.close();
  });
  // Database, user and password of the suite's URL remain.
  const url = new URL(redisUrl);
  url.hostname = '127.0.0.1';
  url.port = String((server.address() as AddressInfo).port);
  return {
    url: url.href,
    freeze: () => {
      for (const socket of sockets) socket.pause();
    },
    thaw: () => {
      for (const socket of sockets) socket.resume();
    },
  };
}

/** Closes, on the Redis server, all connections that subscribe to this test's channel. */
async function killSubscribers(admin: Redis): Promise<void> {
  const clients = String(await admin.client('LIST', 'TYPE', 'PUBSUB')).split('\n');
  for (const client of clients.filter((line) => line.includes(`name=${channel}`))) {
    await admin.client('KILL', 'ID', /\bid=(\d+)/.exec(client)?.[1] ?? '');
  }
}

beforeEach(() => {
  channel = `auth-test-${randomUUID()}`;
});

afterEach(() => {
  for (const cleanup of cleanups.splice(0)) cleanup();
});

describe('credential caches of two processes', () => {
  it('evict an invalidated credential in both processes', async () => {
    const [first, second] = [await startProcess(), await startProcess()];
    await Promise.all([first.ask(), second.ask()]);
    await Promise.all([first.ask(), second.ask()]);
    expect([first.load, second.load].map((load) => load.mock.calls.length)).toEqual([1, 1]);
    await first.cache.evictByTag('user:1');
    expect(first.cache.credentialCount).toBe(0);
    await vi.waitFor(() => expect(second.cache.credentialCount).toBe(0), { interval: 1, timeout: 15_000 });
    await second.ask();
    expect(second.load).toHaveBeenCalledTimes(2);
  });

  it('evict all credentials of this process after invalidateAll, and remain connected', async () => {
    const { invalidations, load, ask } = await startProcess();
    await ask();
    await ask();
    expect(load).toHaveBeenCalledOnce();
    invalidations.invalidateAll();
    expect(invalidations.isConnected()).toBe(true);
    await ask();
    await ask();
    expect(load).toHaveBeenCalledTimes(2);
  });

  it('retain entries with other tags', async () => {
    const [first, second] = [await startProcess(), await startProcess()];
    await second.ask();
    await first.cache.evictByTag('user:2');
    await first.redis.ping();
    await second.redis.ping();
    expect(second.cache.credentialCount).toBe(1);
  });
});

describe('credential cache whose Redis subscription is killed', () => {
  it('caches nothing until the subscription is connected again', async () => {
    const [first, second] = [await startProcess(), await startProcess()];
    await second.ask();
    expect(second.cache.credentialCount).toBe(1);
    // State at the moment of the loss; the connection may be restored in the next.
    let lost: { size: number; connected: boolean; asked: Promise<unknown> } | undefined;
    const look = () => ({ size: second.cache.credentialCount, connected: second.invalidations.isConnected() });
    second.invalidations.listen({
      invalidated: () => undefined,
      lost: () => (lost ??= { ...look(), asked: Promise.all([second.ask(), second.ask()]) }),
    });
    await killSubscribers(first.redis);
    await vi.waitFor(() => expect(lost).toMatchObject({ size: 0, connected: false }), { timeout: 15_000 });
    await lost?.asked;
    expect(second.load).toHaveBeenCalledTimes(3);

    await vi.waitFor(() => expect(second.invalidations.isConnected()).toBe(true), { timeout: 15_000 });
    await vi.waitFor(() => expect(first.invalidations.isConnected()).toBe(true), { timeout: 15_000 });
    await second.ask();
    await second.ask();
    expect(second.load).toHaveBeenCalledTimes(4);
    await first.cache.evictByTag('user:1');
    await vi.waitFor(() => expect(second.cache.credentialCount).toBe(0), { interval: 1, timeout: 15_000 });
  });
});

describe('credential cache without Redis', () => {
  it('looks up credentials in the database each time', async () => {
    const lonely = await startProcess('redis://127.0.0.1:1', { retryForMs: 100 });
    expect(lonely.invalidations.isConnected()).toBe(false);
    await lonely.ask();
    await lonely.ask();
    expect(lonely.load).toHaveBeenCalledTimes(2);
    await expect(lonely.cache.evictByTag('user:1')).resolves.toBeUndefined();
  });

  it('treats a connection that stalls without closing as lost', async () => {
    const line = await startLine();
    const [near, far] = [await startProcess(), await startProcess(line.url)];
    await Promise.all([near.ask(), far.ask()]);
    line.freeze();
    await vi.waitFor(() => expect(far.invalidations.isConnected()).toBe(false), { timeout: 15_000 });
    expect(far.cache.credentialCount).toBe(0);
    expect(near.cache.credentialCount).toBe(1);
    const published = far.cache.evictByTag('user:1');
    line.thaw();
    await published;
    await vi.waitFor(() => expect(near.cache.credentialCount).toBe(0), { timeout: 15_000 });
    await vi.waitFor(() => expect(far.invalidations.isConnected()).toBe(true), { timeout: 15_000 });
  });
});
