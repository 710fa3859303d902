import { randomUUID } from 'node:crypto';
import { defineJob, Jobs } from '@switchboard/queue';
import { z } from 'zod';
import { plainJobs } from './baselines/plain-jobs.js';
import { CONCURRENCY, type JobPayload, type JobSide } from './baselines/job-side.js';
import { type Comparison, type ComparisonResult, compare } from './compare.js';
import type { Stack } from './stack.js';

const ADDED = 10_000;
const IN_FLIGHT = 50;
const BULK = 500;

const text = 'x'.repeat(180);
const jobs = (count: number): { id: string; payload: JobPayload }[] =>
  Array.from({ length: count }, (_, n) => ({ id: `delivery-${n}`, payload: { n, text } }));

async function switchboardJobs(redis: string): Promise<JobSide> {
  const payload = z.object({ n: z.int(), text: z.string() });
  const job = defineJob({ name: 'bench', payload, concurrency: CONCURRENCY });
  const queue = new Jobs({ redis, prefix: `bench-${randomUUID()}`, definitions: [job] });
  while (
    await queue.metrics().then(
      () => false,
      () => true,
    )
  ) {
    await new Promise((resolve) => setTimeout(resolve, 5));
  }
  return {
    add: (id, of) => queue.add(job, of, { id }),
    addBulk: (many) => queue.addBulk(job, many),
    work: (done) => {
      queue.handle(job, async (of) => done(of));
      queue.start();
    },
    stop: () => queue.stop(),
  };
}

type Measure = (side: JobSide) => Promise<number>;

/** Each caller adds its next job when the one before is stored. */
const addedSingly: Measure = async (side) => {
  const left = jobs(ADDED);
  const started = performance.now();
  const caller = async (): Promise<void> => {
    for (let next = left.pop(); next; next = left.pop()) await side.add(next.id, next.payload);
  };
  await Promise.all(Array.from({ length: IN_FLIGHT }, caller));
  return (ADDED / (performance.now() - started)) * 1_000;
};

const addedInBulk: Measure = async (side) => {
  const all = jobs(2 * ADDED);
  const started = performance.now();
  for (let first = 0; first < all.length; first += BULK) await side.addBulk(all.slice(first, first + BULK));
  return (all.length / (performance.now() - started)) * 1_000;
};

/** From the first job done to the last: connecting is not measured. */
const processed: Measure = async (side) => {
  const all = jobs(ADDED);
  for (let first = 0; first < all.length; first += BULK) await side.addBulk(all.slice(first, first + BULK));
  let started = 0;
  let count = 0;
  await new Promise<void>((resolve) => {
    side.work(() => {
      count += 1;
      if (count === 1) started = performance.now();
      if (count === ADDED) resolve();
    });
  });
  return (ADDED / (performance.now() - started)) * 1_000;
};

/** The figures of jobs: added and processed, this layer against BullMQ alone with the same settings. */
export async function jobsFigures({ services }: Stack): Promise<ComparisonResult[]> {
  const run = (open: (redis: string) => Promise<JobSide>, measure: Measure) => async (): Promise<number> => {
    const side = await open(services.redisUrl);
    try {
      return await measure(side);
    } finally {
      await side.stop();
    }
  };
  const comparison = (title: string, measure: Measure): Comparison => ({
    title,
    unit: 'jobs/s',
    product: run(switchboardJobs, measure),
    baseline: run(plainJobs, measure),
    target: { atLeast: 0.9 },
  });
  return [
    await compare(comparison(`Jobs added singly, ${IN_FLIGHT} in flight`, addedSingly)),
    await compare(comparison(`Jobs added in bulks of ${BULK}`, addedInBulk)),
    await compare(comparison(`Jobs processed, ${CONCURRENCY} at once`, processed)),
  ];
}
