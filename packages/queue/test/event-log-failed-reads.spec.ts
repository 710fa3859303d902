import type pg from 'pg';
import { RedisServers, type TestRedisServer } from '@switchboard/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { stopAll, TestClient, TestProcess, thingsPool } from './event-log-support.js';
import { uniqueName, until } from './queue-test-support.js';

let servers: RedisServers;
let server: TestRedisServer;
let pool: pg.Pool;
let drop: () => Promise<void>;

beforeAll(async () => {
  servers = await RedisServers.open();
  server = await servers.start([]);
  ({ pool, drop } = await thingsPool());
});
afterAll(async () => {
  await stopAll();
  await servers.stop();
  await drop();
});

interface Connection {
  readonly id: string;
  readonly isSubscriber: boolean;
}

async function connections(): Promise<Connection[]> {
  const lines = String(await server.admin.client('LIST'))
    .split('\n')
    .filter(Boolean);
  return lines.map((line) => ({
    id: /\bid=(\d+)/.exec(line)?.[1] ?? '',
    isSubscriber: !/\bsub=0\b/.test(line),
  }));
}

it('EventLog repeats a failed read of a new entry before the lease of a pending poll ends', async () => {
  const [prefix, realm] = [uniqueName(), uniqueName()];
  const redis = `redis://127.0.0.1:${server.port}`;
  const writer = new TestProcess(pool, prefix, { redis });
  await writer.log.waitUntilStoreResponds();
  await writer.change(realm, 1);
  const known = new Set((await connections()).map(({ id }) => id));
  const reader = new TestProcess(pool, prefix, { redis });
  await reader.log.waitUntilStoreResponds();
  const client = await TestClient.register(reader, realm);
  const poll = client.poll(reader, true);
  await until(() => reader.log.metrics().waiters === 1);

  // The subscription stays connected, but the connection for reads is killed and cannot reconnect.
  const own = (await connections()).filter(({ id }) => !known.has(id));
  expect(own.filter(({ isSubscriber }) => isSubscriber)).toHaveLength(1);
  await server.admin.config('SET', 'maxclients', known.size + 1);
  for (const { id, isSubscriber } of own) if (!isSubscriber) await server.admin.client('KILL', 'ID', id);
  await writer.change(realm, 2);
  await until(async () => Number(await server.admin.hget(`{${prefix}:${realm}}:meta`, 'last')) === 2);
  await server.admin.config('SET', 'maxclients', 1_000);

  const began = Date.now();
  expect(await poll).toMatchObject([{ type: 'thing', n: 2 }]);
  expect(Date.now() - began).toBeLessThan(30_000);
});
