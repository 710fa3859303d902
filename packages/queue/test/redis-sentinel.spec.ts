import { RedisServers, startRedisSentinels } from '@switchboard/testing';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WholeProcess } from './redis-support.js';
import { testPool, uniqueName, until } from './queue-test-support.js';

let servers: RedisServers;
let setUp: Awaited<ReturnType<typeof startRedisSentinels>>;
let database: Awaited<ReturnType<typeof testPool>>;
const running: WholeProcess[] = [];

beforeAll(async () => {
  servers = await RedisServers.open();
  [setUp, database] = await Promise.all([startRedisSentinels(servers, 'main'), testPool()]);
});

afterAll(async () => {
  await Promise.all(running.map((process) => process.stop()));
  await servers.stop();
  await database.drop();
});

it('Redis Sentinel fails over jobs, notifications and the event log when the master is killed', async () => {
  const { master, replica, sentinels } = setUp;
  const url = `redis+sentinel://${sentinels.map(({ port }) => `127.0.0.1:${port}`).join(',')}/main`;
  const prefix = uniqueName();
  const [api, worker] = (['api', 'worker'] as const).map((role) => new WholeProcess(database.pool, url, prefix, role));
  if (!api || !worker) throw new Error('two processes');
  running.push(api, worker);
  await Promise.all([api.ready(), worker.ready()]);

  const client = await api.register('realm');
  await api.write('realm', 1);
  expect(await client.receive(worker, 1)).toEqual([1]);
  const wanted = await api.addOfEachKind();
  await until(() => worker.ran.length === wanted.length);
  await master.admin.wait(1, 2_000);

  const poll = client.receive(worker, 2, 45_000);
  await master.kill();
  // Committed while there is no master; the row waits in PostgreSQL.
  await api.write('realm', 2);
  expect(await poll).toEqual([1, 2]);
  expect(await replica.admin.role()).toEqual(expect.arrayContaining(['master']));
  await until(() => api.addOfEachKind().then(Boolean, () => false));
  await until(() => worker.ran.length >= 2 * wanted.length - 6);
  await api.ring(worker);
}, 120_000);
