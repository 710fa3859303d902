import { Redis } from 'ioredis';
import { afterEach, describe, expect, it } from 'vitest';
import { z } from 'zod';
import { defineJob, type Jobs, type JobsSettings, type RateLimit } from '../src/index.js';
import { add, makeJobs, metricsOf, stopJobs } from './jobs-support.js';
import { range } from './event-log-support.js';
import { redisUrl, sleep, uniqueName, until } from './queue-test-support.js';

const payload = z.strictObject({ to: z.string(), n: z.int() });
type Delivery = z.infer<typeof payload>;

interface Start extends Delivery {
  at: number;
  attempt: number;
  who: number;
}

afterEach(stopJobs);

const deliveries = (to: string, count: number): { payload: Delivery }[] =>
  range(0, count).map((n) => ({ payload: { to, n } }));

function defineDelivery(name: string, rateLimit: Omit<RateLimit<Delivery>, 'key'>, concurrency = 10) {
  const key = ({ to }: Delivery): string | null => (to === 'free' ? null : to);
  return defineJob({ name, payload, attempts: 2, concurrency, rateLimit: { key, ...rateLimit } });
}

/** Starts processes of one deployment. The job handler records each start of a job, then runs `work`. */
function startProcesses(
  count: number,
  job: ReturnType<typeof defineDelivery>,
  work: (delivery: Delivery) => Promise<void> = async () => {},
  options: Partial<JobsSettings> = {},
): { first: Jobs; starts: Start[] } {
  const prefix = uniqueName();
  const starts: Start[] = [];
  const processes = range(0, count).map((who) => {
    const jobs = makeJobs([job], { prefix, ...options });
    jobs.handle(job, async (delivery, { attempt }) => {
      starts.push({ ...delivery, at: performance.now(), attempt, who });
      await work(delivery);
    });
    jobs.start();
    return jobs;
  });
  const [first] = processes;
  if (!first) throw new Error('at least one process');
  return { first, starts };
}

/**
 * Returns the starts that violate the limit of `max` per period. A correct limiter causes no violation, because a busy
 * machine can only delay starts.
 */
function tooEarly(starts: readonly Start[], from: number, { max, perMs }: { max: number; perMs: number }): Start[] {
  const inOrder = starts.toSorted((a, b) => a.at - b.at);
  // A timer may be a few ms early here.
  return inOrder.filter(({ at }, index) => at < from + Math.floor(index / max) * (perMs - 5));
}

/** Returns the times until which the delayed jobs of a deployment wait, in milliseconds since 1970. */
async function delayedUntil(prefix: string): Promise<number[]> {
  const redis = new Redis(redisUrl);
  try {
    const [key = ''] = await redis.keys(`*${prefix}*:delayed`);
    const entries = await redis.zrangebyscore(key, '-inf', '+inf', 'WITHSCORES');
    // BullMQ stores the time in the upper bits of the score.
    return entries.filter((_, index) => index % 2 === 1).map((score) => Number(score) / 0x1000);
  } finally {
    redis.disconnect();
  }
}

describe('rate limit of a destination', () => {
  it('applies across all processes, and jobs that wait for the limit use up no attempt', async () => {
    const limit = { max: 4, perMs: 300 };
    const job = defineDelivery('limited', limit);
    const { first, starts } = startProcesses(3, job);
    const from = performance.now();
    await add(first, job, { to: 'slow.example', n: -1 });
    await first.addBulk(job, deliveries('slow.example', 15));
    await until(() => starts.length === 16);
    // 16 starts in groups of four: the last group starts three windows after the first.
    expect(tooEarly(starts, from, limit)).toEqual([]);
    expect(new Set(starts.map(({ n }) => n)).size).toBe(16);
    expect(starts.every(({ attempt }) => attempt === 1)).toBe(true);
    expect(new Set(starts.map(({ who }) => who)).size).toBeGreaterThan(1);
  });

  it('does not delay jobs of other destinations', async () => {
    const job = defineDelivery('passing', { max: 1, perMs: 60_000 }, 2);
    const { first, starts } = startProcesses(1, job);
    await add(first, job, { to: 'limited.example', n: -1 });
    await first.addBulk(job, deliveries('limited.example', 20));
    await first.addBulk(job, [{ payload: { to: 'other.example', n: 0 } }, ...deliveries('free', 20)]);
    await until(() => starts.length === 22);
    // A job that changes its state is counted in no state for a moment.
    const counts = { waiting: 0, active: 0, delayed: 20, failed: 0 };
    await expect.poll(() => metricsOf(first, job)).toMatchObject(counts);
    expect(starts.filter(({ to }) => to === 'limited.example').length).toBe(1);
  });

  it('makes each waiting job check the limit only once before its start', async () => {
    let parsed = 0;
    // No slot begins during the test, and each is long compared with the delays of a busy machine.
    const limit = { max: 5, perMs: 3_600_000 };
    const limited = defineDelivery('patient', { ...limit, concurrency: 10 });
    const job = { ...limited, payload: payload.refine(() => (parsed += 1) > 0) };
    const prefix = uniqueName();
    const adding = makeJobs([limited], { prefix });
    await add(adding, limited, { to: 'queue.example', n: -1 });
    await adding.addBulk(limited, deliveries('queue.example', 119));
    const from = Date.now();
    const { first, starts } = startProcesses(1, job, async () => {}, { prefix });
    await until(async () => (await metricsOf(first, job)).delayed === 115);
    expect(starts).toHaveLength(5);
    const slots = (await delayedUntil(prefix)).map((at) => Math.round((at - from) / limit.perMs));
    expect(slots.toSorted((a, b) => a - b)).toEqual(range(0, 115).map((index) => 1 + Math.floor(index / limit.max)));
    expect(parsed).toBe(120);
  });

  it('applies to jobs that were added before any worker started', async () => {
    const limit = { max: 2, perMs: 150 };
    const job = defineDelivery('standstill', limit);
    const prefix = uniqueName();
    const before = startProcesses(1, job, async () => {}, { prefix });
    await add(before.first, job, { to: 'x', n: -1 });
    await before.first.addBulk(job, deliveries('x', 9));
    await until(async () => (await metricsOf(before.first, job)).delayed >= 6);
    await before.first.stop();
    const done = before.starts.length;
    // Waits until all reserved time slots have passed.
    await sleep(900);
    const from = performance.now();
    const after = startProcesses(2, job, async () => {}, { prefix });
    await until(() => after.starts.length === 10 - done);
    expect(tooEarly(after.starts, from, limit)).toEqual([]);
  });
});

describe('jobs for a slow destination', () => {
  it.each([
    ['and a rate', { max: 10_000, perMs: 1_000 }],
    ['alone', {}],
  ])('occupy only their share of the concurrent attempts with the limit of concurrency %s', async (_also, limit) => {
    const job = defineDelivery('share', limit, 4);
    let slow = 0;
    let maxSlow = 0;
    let release = (): void => {};
    const held = new Promise<void>((resolve) => (release = resolve));
    const { first, starts } = startProcesses(1, job, async ({ to }) => {
      if (to !== 'slow.example') return;
      maxSlow = Math.max(maxSlow, (slow += 1));
      await held;
      slow -= 1;
    });
    await add(first, job, { to: 'slow.example', n: -1 });
    await first.addBulk(job, deliveries('slow.example', 7));
    await until(() => slow === 2);
    await first.addBulk(job, deliveries('fast.example', 50));
    await until(() => starts.filter(({ to }) => to === 'fast.example').length === 50);
    expect([slow, maxSlow]).toEqual([2, 2]);
    release();
    await until(() => starts.length === 58);
    expect(maxSlow).toBe(2);
    expect(starts.every(({ attempt }) => attempt === 1)).toBe(true);
  });
});
