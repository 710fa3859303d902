import { afterAll, beforeAll, expect, it } from 'vitest';
import { WholeProcess } from './redis-support.js';
import { redisUrl, sleep, testPool, uniqueName, until } from './queue-test-support.js';

const databases: Awaited<ReturnType<typeof testPool>>[] = [];
const running: WholeProcess[] = [];

beforeAll(async () => {
  databases.push(...(await Promise.all([testPool(), testPool()])));
});

afterAll(async () => {
  await Promise.all(running.map((process) => process.stop()));
  await Promise.all(databases.map(({ drop }) => drop()));
});

it('REDIS_KEY_PREFIX separates two deployments that use one Redis', async () => {
  const deployments = databases.map(({ pool }) => {
    const prefix = uniqueName();
    const make = (role: 'api' | 'worker'): WholeProcess => new WholeProcess(pool, redisUrl, prefix, role);
    return { api: make('api'), worker: make('worker') };
  });
  running.push(...deployments.flatMap(({ api, worker }) => [api, worker]));
  await Promise.all(running.map((process) => process.ready()));
  const clients = await Promise.all(deployments.map(({ api }) => api.register('the realm')));

  const [mine, theirs] = deployments;
  const wanted = await mine?.api.addOfEachKind();
  if (mine) await mine.api.ring(mine.worker);
  await mine?.api.write('the realm', 1);
  await until(() => mine?.worker.ran.length === wanted?.length);
  // Writes an event to the other deployment: an event that leaked into it would have arrived before.
  await theirs?.api.write('the realm', 2);
  const seen = await Promise.all(deployments.map(({ worker }, n) => clients[n]?.receive(worker, 1)));
  await sleep(100);
  expect(seen).toEqual([[1], [2]]);
  expect([theirs?.worker.ran, theirs?.worker.dispatched, theirs?.api.dispatched]).toEqual([[], [], []]);
  expect(await theirs?.api.jobs.failed()).toEqual([]);
});
