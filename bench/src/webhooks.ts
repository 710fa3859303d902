import { join } from 'node:path';
import { type ComparisonResult, computeComparison, MEASURED_RUN_COUNT } from './compare-with-baseline.js';
import { computeQuantile } from './measure-load.js';
import { startServer } from './server-process.js';
import type { BenchmarkServices } from './benchmark-services.js';
import { BenchInventory, type WebhooksSize } from './webhooks/bench-inventory.js';
import { type BenchReceiver, startReceiver } from './webhooks/bench-receivers.js';

const RECEIVER_COUNT = 20;
const HANGING_RECEIVERS = 2;
const RULE_COUNT = 5;

/**
 * Number of warm-up rounds of the inventory service and of the baseline server, see `compare`. The number must be even.
 */
const WARM_UP_ROUNDS = 8;

let nextMarkNumber = 0;

const nextDescriptionMark = (): string => `mark-${(nextMarkNumber += 1)}-`;

/**
 * Sends changes of a site one after another. Returns, for each change, the milliseconds from the request to the
 * webhook's arrival at the receiver.
 */
async function measureReceiptTimes(
  origin: string,
  headers: Record<string, string>,
  receiver: BenchReceiver,
  changes: number,
): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; n < changes; n += 1) {
    const description = nextDescriptionMark();
    const arrival = receiver.arrival(description);
    const started = performance.now();
    const body = JSON.stringify({ description });
    const response = await fetch(`${origin}/api/dcim/sites/${(n % 10) + 1}/`, { method: 'PATCH', headers, body });
    await response.arrayBuffer();
    if (!response.ok) throw new Error(`${origin} responded with ${response.status}`);
    taken.push((await arrival) - started);
  }
  return taken;
}

async function receiptFigures(
  inventory: BenchInventory,
  stack: BenchmarkServices,
  size: WebhooksSize,
): Promise<ComparisonResult[]> {
  const receiver = await startReceiver();
  const env = { ...stack.envOf('inventory'), RECEIVER_URL: receiver.url };
  const baseline = await startServer(join(import.meta.dirname, 'baselines/webhook-server.js'), env, '/health/ready');
  await inventory.enableOnly([await inventory.addWebhook(receiver)]);
  const json = { 'content-type': 'application/json' };
  const runs: { product: number[]; baseline: number[] }[] = [];
  try {
    for (let run = 0; run < WARM_UP_ROUNDS + MEASURED_RUN_COUNT; run += 1) {
      // Does what autovacuum does in a running service. Until then PostgreSQL plans for empty tables.
      if (run === WARM_UP_ROUNDS / 2) await inventory.database.query('VACUUM ANALYZE');
      const theirs = await measureReceiptTimes(baseline.origin, json, receiver, size.changes);
      const ours = await measureReceiptTimes(inventory.server.origin, inventory.headers, receiver, size.changes);
      if (run >= WARM_UP_ROUNDS) runs.push({ product: ours, baseline: theirs });
    }
  } finally {
    await baseline.stop();
    await receiver.stop();
  }
  const figure = (name: string, share: number, atMost: number): ComparisonResult =>
    computeComparison(
      {
        title: `Time from a change to its receipt, ${name}, relative to transaction, job and fetch`,
        unit: 'ms',
        target: { atMost },
      },
      runs.map((run) => computeQuantile(run.product, share)),
      runs.map((run) => computeQuantile(run.baseline, share)),
    );
  return [figure('p50', 0.5, 1.5), figure('p99', 0.99, 2.0)];
}

async function waitUntilConditionMet(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/**
 * Sends one request that changes many sites and so triggers all webhooks. Returns the milliseconds from the response
 * until each receiver in `healthy` has received `each` deliveries.
 */
async function measureBacklogMs(
  inventory: BenchInventory,
  healthy: readonly BenchReceiver[],
  each: number,
): Promise<number> {
  const before = healthy.map((receiver) => receiver.count());
  await inventory.setDescriptions(each, nextDescriptionMark());
  const started = performance.now();
  await waitUntilConditionMet(() =>
    healthy.every((receiver, index) => receiver.count() - (before[index] ?? 0) >= each),
  );
  return performance.now() - started;
}

async function fairnessFigure(
  inventory: BenchInventory,
  { deliveriesEach: each }: WebhooksSize,
): Promise<ComparisonResult> {
  const healthy = await Promise.all(Array.from({ length: RECEIVER_COUNT - HANGING_RECEIVERS }, () => startReceiver()));
  const hooks: number[] = [];
  for (const receiver of healthy) hooks.push(await inventory.addWebhook(receiver));
  const [product, baseline]: [number[], number[]] = [[], []];
  for (let run = 0; run <= MEASURED_RUN_COUNT; run += 1) {
    await inventory.enableOnly(hooks);
    const alone = await measureBacklogMs(inventory, healthy, each);
    // New receivers, because the service already knows that those of the last run do not respond.
    const hanging = await Promise.all(Array.from({ length: HANGING_RECEIVERS }, () => startReceiver({ hangs: true })));
    const sick: number[] = [];
    for (const receiver of hanging) sick.push(await inventory.addWebhook(receiver));
    await inventory.enableOnly([...hooks, ...sick]);
    const together = await measureBacklogMs(inventory, healthy, each);
    await Promise.all(hanging.map((receiver) => receiver.stop()));
    await inventory.deleteDeliveries();
    if (run > 0) {
      product.push(together);
      baseline.push(alone);
    }
  }
  await Promise.all(healthy.map((receiver) => receiver.stop()));
  const title = `${RECEIVER_COUNT * each} deliveries to ${RECEIVER_COUNT} receivers of which ${HANGING_RECEIVERS} hang: the others, over without the two`;
  return computeComparison({ title, unit: 'ms', target: { atMost: 1.2 } }, product, baseline);
}

async function requestTimeFigure(inventory: BenchInventory, { objects }: WebhooksSize): Promise<ComparisonResult> {
  const receivers = await Promise.all(Array.from({ length: RULE_COUNT }, () => startReceiver()));
  const hooks: number[] = [];
  for (const receiver of receivers) hooks.push(await inventory.addWebhook(receiver));
  const [product, baseline]: [number[], number[]] = [[], []];
  const timed = async (): Promise<number> => {
    const started = performance.now();
    await inventory.setDescriptions(objects, nextDescriptionMark());
    return performance.now() - started;
  };
  for (let run = 0; run < 2 + MEASURED_RUN_COUNT; run += 1) {
    await inventory.enableOnly([]);
    const without = await timed();
    await inventory.enableOnly(hooks);
    const before = receivers.map((receiver) => receiver.count());
    const withRules = await timed();
    await waitUntilConditionMet(() =>
      receivers.every((receiver, index) => receiver.count() - (before[index] ?? 0) >= objects),
    );
    if (run >= 2) {
      product.push(withRules);
      baseline.push(without);
    }
  }
  await Promise.all(receivers.map((receiver) => receiver.stop()));
  const title = `A request that changes ${objects} objects with ${RULE_COUNT} matching rules, relative to no rules`;
  return computeComparison({ title, unit: 'ms', target: { atMost: 1.15 } }, product, baseline);
}

/**
 * Measures webhooks. The figures are the latency of one delivery, the delay that unresponsive receivers cause for other
 * receivers, and the time that triggering webhooks adds to a request.
 */
export async function* webhooksFigures(
  stack: BenchmarkServices,
  size: WebhooksSize,
): AsyncGenerator<ComparisonResult[]> {
  const inventory = await BenchInventory.start(stack, Math.max(size.objects, size.deliveriesEach, 10));
  try {
    yield await receiptFigures(inventory, stack, size);
    yield [await requestTimeFigure(inventory, size)];
    yield [await fairnessFigure(inventory, size)];
  } finally {
    await inventory.stop();
  }
}
