import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { defineJob, type Jobs, type JobRepeatSchedule } from '../src/index.js';
import { range } from './event-log-support.js';
import { makeJobs, metricsOf, payload, stopJobs } from './jobs-support.js';
import { PrivateRedis, redisUrl, sleep, uniqueName, until } from './queue-test-support.js';

type When = { everyMs: number } | { cron: string; timeZone?: string };

afterEach(stopJobs);

const defineTick = (when?: When, n = 1) => {
  const repeat: JobRepeatSchedule<{ n: number }> | undefined = when && { ...when, payload: { n } };
  return defineJob({ name: 'tick', payload, ...(repeat ? { repeat } : {}) });
};

/**
 * Starts a process that defines and runs only this repeating job. The handler adds the payload number of each run to
 * `fired`.
 */
function startProcess(prefix: string, job: ReturnType<typeof defineTick>, fired: number[], redis = redisUrl): Jobs {
  const jobs = makeJobs([job], { prefix, redis });
  jobs.handle(job, async ({ n }) => void fired.push(n));
  jobs.start();
  return jobs;
}

/** Lists the job schedules in Redis under a key prefix: their names, intervals, cron expressions and time zones. */
async function schedules(prefix: string): Promise<unknown[]> {
  const redis = new Redis(redisUrl);
  const names = Object.keys(await redis.hgetall(`{${prefix}.jobs}schedules`));
  const hash = await redis.hmget(`{${prefix}.jobs.tick}:tick:repeat:tick`, 'every', 'pattern', 'tz');
  redis.disconnect();
  return [...names, ...hash.filter((value) => value !== null)];
}

describe('repeating job', () => {
  it('runs at startup and at each interval, once per deployment', async () => {
    const prefix = uniqueName();
    const fired: number[] = [];
    const began = performance.now();
    range(0, 4).forEach(() => startProcess(prefix, defineTick({ everyMs: 200 }), fired));
    await until(() => fired.length === 5);
    // Five runs span four intervals. They would be faster only if each of the four processes ran the job separately.
    expect(performance.now() - began).toBeGreaterThanOrEqual(590);
    expect(fired).toEqual([1, 1, 1, 1, 1]);
  });

  it('runs by a cron expression in its time zone', async () => {
    const prefix = uniqueName();
    const fired: number[] = [];
    startProcess(prefix, defineTick({ cron: '* * * * * *', timeZone: 'Europe/Zurich' }), fired);
    await until(() => fired.length === 2);
    expect(await schedules(prefix)).toEqual(['tick', '* * * * * *', 'Europe/Zurich']);
  });

  it('uses schedule and payload of the latest definition', async () => {
    const prefix = uniqueName();
    const fired: number[] = [];
    const old = startProcess(prefix, defineTick({ everyMs: 3_600_000 }, 1), fired);
    await until(() => fired.length === 1);
    await old.stop();
    startProcess(prefix, defineTick({ everyMs: 100 }, 2), fired);
    await until(() => fired.length >= 3);
    expect(fired.slice(0, 3)).toEqual([1, 2, 2]);
    expect(await schedules(prefix)).toEqual(['tick', '100']);
  });

  it('does not run again when another process starts', async () => {
    const prefix = uniqueName();
    const fired: number[] = [];
    const first = startProcess(prefix, defineTick({ everyMs: 3_600_000 }), fired);
    await until(() => fired.length === 1);
    const second = startProcess(prefix, defineTick({ everyMs: 3_600_000 }), fired);
    await sleep(600);
    expect(fired).toEqual([1]);
    expect((await metricsOf(first, { name: 'tick' })).delayed).toBe(1);
    await second.stop();
  });

  it.each([
    ['its definition no longer repeats', () => defineTick()],
    ['its definition is gone', () => defineJob({ name: 'another', payload })],
  ])('stops when %s', async (_, define) => {
    const prefix = uniqueName();
    const fired: number[] = [];
    const old = startProcess(prefix, defineTick({ everyMs: 100 }), fired);
    await until(() => fired.length >= 2);
    await old.stop();
    startProcess(prefix, define(), fired);
    await until(async () => (await schedules(prefix)).length === 0);
    const before = fired.length;
    await sleep(300);
    expect(fired.length - before).toBeLessThanOrEqual(1);
  });

  it('runs again after Redis restarts without its data', async () => {
    const redis = await PrivateRedis.start();
    try {
      const fired: number[] = [];
      startProcess(uniqueName(), defineTick({ everyMs: 100 }), fired, redis.url);
      await until(() => fired.length >= 2);
      await redis.kill();
      const before = fired.length;
      await redis.up();
      await until(() => fired.length >= before + 2);
    } finally {
      await stopJobs();
      await redis.stop();
    }
  });
});
