import { startRedisCluster, RedisServers } from '@switchboard/testing';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import {
  defineJob,
  FinalJobError,
  createFlowJob,
  QueueUsageError,
  type ChildJobOutcome,
  type FlowJob,
  type FlowJobOptions,
  type PermanentJobFailure,
  type Jobs,
} from '../src/index.js';
import { makeJobs, metricsOf, payload, stopJobs } from './jobs-support.js';
import { uniqueName, until } from './queue-test-support.js';

afterEach(stopJobs);

const child = defineJob({ name: 'child', payload, attempts: 1 });
const parent = defineJob({ name: 'parent', payload, attempts: 1 });

/**
 * Starts workers for the parent jobs and the child jobs. A child job fails if its number is negative; otherwise the job
 * returns twice the number.
 */
function startJobs(): { jobs: Jobs; order: string[]; outcomes: ChildJobOutcome[][]; failures: PermanentJobFailure[] } {
  const jobs = makeJobs([child, parent]);
  const order: string[] = [];
  const outcomes: ChildJobOutcome[][] = [];
  const failures: PermanentJobFailure[] = [];
  jobs.handle(child, async ({ n }) => {
    order.push(`child ${n}`);
    if (n < 0) throw new FinalJobError('negative');
    return { double: 2 * n, at: new Date(0) };
  });
  jobs.handle(parent, async ({ n }, { children }) => {
    order.push(`parent ${n}`);
    outcomes.push(await children());
    return n;
  });
  jobs.onFailed(parent, async (failure) => void failures.push(failure));
  return { jobs, order, outcomes, failures };
}

const parentOf = (...children: FlowJob[]): FlowJob => createFlowJob(parent, { n: 0 }, { id: 'the:parent', children });
const childOf = (n: number, options: FlowJobOptions = {}): FlowJob =>
  createFlowJob(child, { n }, { id: `child:${n}`, ...options });

describe('Jobs.addFlow', () => {
  it('starts a job when all its children have ended, and passes their results', async () => {
    const { jobs, order, outcomes } = startJobs();
    await jobs.addFlow(parentOf(childOf(1), childOf(2)));
    expect((await jobs.find(parent, 'the:parent'))?.state).toBe('waiting-children');
    jobs.start();
    await until(() => outcomes.length === 1);
    expect(order.at(-1)).toBe('parent 0');
    expect(outcomes[0]?.toSorted((a, b) => (a.id < b.id ? -1 : 1))).toEqual(
      [1, 2].map((n) => ({
        job: 'child',
        id: `child:${n}`,
        result: { double: 2 * n, at: new Date(0) },
        error: null,
      })),
    );
    await until(async () => (await jobs.find(parent, 'the:parent'))?.state === 'completed');
  });

  it('starts jobs of several levels from the leaves to the root', async () => {
    const { jobs, order, outcomes } = startJobs();
    const middle = createFlowJob(parent, { n: 5 }, { children: [childOf(1)] });
    await jobs.addFlow(parentOf(middle, childOf(2, { delayMs: 50, priority: 3 })));
    jobs.start();
    await until(() => outcomes.length === 2);
    expect(order.indexOf('child 1')).toBeLessThan(order.indexOf('parent 5'));
    expect(order.at(-1)).toBe('parent 0');
    expect(outcomes.map(({ length }) => length)).toEqual([1, 2]);
  });

  it('fails the parent of a child that has failed permanently, and calls its failure hook', async () => {
    const { jobs, order, failures } = startJobs();
    await jobs.addFlow(parentOf(childOf(-1), childOf(2)));
    jobs.start();
    await until(async () => (await jobs.find(parent, 'the:parent'))?.state === 'failed');
    await until(() => failures.length === 1);
    expect(failures[0]).toMatchObject({ job: 'parent', id: 'the:parent', payload: { n: 0 } });
    expect(order).not.toContain('parent 0');
  });

  it('starts the parent of a failed child whose failure is ignored, with the error', async () => {
    const { jobs, outcomes } = startJobs();
    await jobs.addFlow(parentOf(childOf(-1, { onFailure: 'ignore' })));
    jobs.start();
    await until(() => outcomes.length === 1);
    expect(outcomes[0]).toEqual([{ job: 'child', id: 'child:-1', result: null, error: 'FinalJobError: negative' }]);
  });

  it('adds no job of the flow if one payload is invalid or one kind of job is undefined', async () => {
    const { jobs } = startJobs();
    const other = defineJob({ name: 'other', payload });
    await expect(jobs.addFlow(parentOf(childOf(0.5)))).rejects.toThrow(z.ZodError);
    await expect(jobs.addFlow(parentOf(createFlowJob(other, { n: 1 })))).rejects.toThrow(QueueUsageError);
    expect(await jobs.find(parent, 'the:parent')).toBeNull();
  });

  it('runs flows of one kind of job on a Redis Cluster, and rejects flows of several kinds', async () => {
    const servers = await RedisServers.open();
    try {
      const nodes = await startRedisCluster(servers, { replicas: 0 });
      const redis = `redis+cluster://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}`;
      const tree = defineJob({ name: 'tree', payload });
      const jobs = makeJobs([tree, child], { redis, prefix: uniqueName() });
      const ran: number[] = [];
      jobs.handle(tree, async ({ n }) => void ran.push(n));
      jobs.handle(child, async () => {});
      await until(() => jobs.metrics().then(Boolean, () => false));
      const mixed = createFlowJob(tree, { n: 1 }, { children: [childOf(2)] });
      await expect(jobs.addFlow(mixed)).rejects.toThrow('of one kind');
      await jobs.addFlow(createFlowJob(tree, { n: 1 }, { children: [createFlowJob(tree, { n: 2 })] }));
      jobs.start();
      await until(() => ran.length === 2);
      expect(ran).toEqual([2, 1]);
      expect(await metricsOf(jobs, child)).toMatchObject({ waiting: 0 });
      await stopJobs();
    } finally {
      await servers.stop();
    }
  });
});
