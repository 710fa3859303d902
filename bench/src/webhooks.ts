import { join } from 'node:path';
import { type ComparisonResult, computeComparison, MEASURED_RUN_COUNT } from './compare-with-baseline.js';
import { computeQuantile } from './measure-load.js';
import { startServerProcess } from './server-process.js';
import type { BenchmarkServices } from './benchmark-services.js';
import { WebhookBenchmarkInventory, type WebhookBenchmarkSize } from './webhooks/bench-inventory.js';
import { type BenchmarkWebhookReceiver, startWebhookReceiver } from './webhooks/bench-receivers.js';

const WEBHOOK_RECEIVER_COUNT = 20;
const UNRESPONSIVE_RECEIVER_COUNT = 2;
const EVENT_RULE_COUNT = 5;

/**
 * Number of warm-up rounds of the inventory service and of the baseline server, see `compare`. The number must be even.
 */
const WARM_UP_ROUND_COUNT = 8;

let nextDescriptionMarkerNumber = 0;

const createUniqueDescriptionMarker = (): string => `mark-${(nextDescriptionMarkerNumber += 1)}-`;

/**
 * Sends changes of a site one after another. Returns, for each change, the milliseconds from the request to the
 * webhook's arrival at the receiver.
 */
async function measureWebhookReceiptTimes(
  origin: string,
  headers: Record<string, string>,
  receiver: BenchmarkWebhookReceiver,
  changes: number,
): Promise<number[]> {
  const taken: number[] = [];
  for (let n = 0; n < changes; n += 1) {
    const description = createUniqueDescriptionMarker();
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

async function measureWebhookLatency(
  inventory: WebhookBenchmarkInventory,
  stack: BenchmarkServices,
  size: WebhookBenchmarkSize,
): Promise<ComparisonResult[]> {
  const receiver = await startWebhookReceiver();
  const env = { ...stack.envOf('inventory'), RECEIVER_URL: receiver.url };
  const baseline = await startServerProcess(
    join(import.meta.dirname, 'baselines/webhook-server.js'),
    env,
    '/health/ready',
  );
  await inventory.enableOnlyRulesOfWebhooks([await inventory.addSiteChangeWebhook(receiver)]);
  const json = { 'content-type': 'application/json' };
  const runs: { product: number[]; baseline: number[] }[] = [];
  try {
    for (let run = 0; run < WARM_UP_ROUND_COUNT + MEASURED_RUN_COUNT; run += 1) {
      // Does what autovacuum does in a running service. Until then PostgreSQL plans for empty tables.
      if (run === WARM_UP_ROUND_COUNT / 2) await inventory.database.query('VACUUM ANALYZE');
      const theirs = await measureWebhookReceiptTimes(baseline.origin, json, receiver, size.changes);
      const ours = await measureWebhookReceiptTimes(
        inventory.server.origin,
        inventory.requestHeaders,
        receiver,
        size.changes,
      );
      if (run >= WARM_UP_ROUND_COUNT) runs.push({ product: ours, baseline: theirs });
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

async function waitUntilTrue(done: () => boolean): Promise<void> {
  while (!done()) await new Promise((resolve) => setTimeout(resolve, 2));
}

/**
 * Sends one request that changes many sites and so triggers all webhooks. Returns the milliseconds from the response
 * until each receiver in `healthy` has received `each` deliveries.
 */
async function measureWebhookBacklogMs(
  inventory: WebhookBenchmarkInventory,
  healthy: readonly BenchmarkWebhookReceiver[],
  each: number,
): Promise<number> {
  const before = healthy.map((receiver) => receiver.count());
  await inventory.setSiteDescriptions(each, createUniqueDescriptionMarker());
  const started = performance.now();
  await waitUntilTrue(() => healthy.every((receiver, index) => receiver.count() - (before[index] ?? 0) >= each));
  return performance.now() - started;
}

async function measureUnresponsiveReceiverDelay(
  inventory: WebhookBenchmarkInventory,
  { deliveriesEach: each }: WebhookBenchmarkSize,
): Promise<ComparisonResult> {
  const healthy = await Promise.all(
    Array.from({ length: WEBHOOK_RECEIVER_COUNT - UNRESPONSIVE_RECEIVER_COUNT }, () => startWebhookReceiver()),
  );
  const hooks: number[] = [];
  for (const receiver of healthy) hooks.push(await inventory.addSiteChangeWebhook(receiver));
  const [product, baseline]: [number[], number[]] = [[], []];
  for (let run = 0; run <= MEASURED_RUN_COUNT; run += 1) {
    await inventory.enableOnlyRulesOfWebhooks(hooks);
    const alone = await measureWebhookBacklogMs(inventory, healthy, each);
    // New receivers, because the service already knows that those of the last run do not respond.
    const hanging = await Promise.all(
      Array.from({ length: UNRESPONSIVE_RECEIVER_COUNT }, () => startWebhookReceiver({ hangs: true })),
    );
    const sick: number[] = [];
    for (const receiver of hanging) sick.push(await inventory.addSiteChangeWebhook(receiver));
    await inventory.enableOnlyRulesOfWebhooks([...hooks, ...sick]);
    const together = await measureWebhookBacklogMs(inventory, healthy, each);
    await Promise.all(hanging.map((receiver) => receiver.stop()));
    await inventory.deleteWebhookDeliveries();
    if (run > 0) {
      product.push(together);
      baseline.push(alone);
    }
  }
  await Promise.all(healthy.map((receiver) => receiver.stop()));
  const title = `${WEBHOOK_RECEIVER_COUNT * each} deliveries to ${WEBHOOK_RECEIVER_COUNT} receivers of which ${UNRESPONSIVE_RECEIVER_COUNT} hang: the others, over without the two`;
  return computeComparison({ title, unit: 'ms', target: { atMost: 1.2 } }, product, baseline);
}

async function measureBulkChangeRequestTime(
  inventory: WebhookBenchmarkInventory,
  { objects }: WebhookBenchmarkSize,
): Promise<ComparisonResult> {
  const receivers = await Promise.all(Array.from({ length: EVENT_RULE_COUNT }, () => startWebhookReceiver()));
  const hooks: number[] = [];
  for (const receiver of receivers) hooks.push(await inventory.addSiteChangeWebhook(receiver));
  const [product, baseline]: [number[], number[]] = [[], []];
  const timed = async (): Promise<number> => {
    const started = performance.now();
    await inventory.setSiteDescriptions(objects, createUniqueDescriptionMarker());
    return performance.now() - started;
  };
  for (let run = 0; run < 2 + MEASURED_RUN_COUNT; run += 1) {
    await inventory.enableOnlyRulesOfWebhooks([]);
    const without = await timed();
    await inventory.enableOnlyRulesOfWebhooks(hooks);
    const before = receivers.map((receiver) => receiver.count());
    const withRules = await timed();
    await waitUntilTrue(() => receivers.every((receiver, index) => receiver.count() - (before[index] ?? 0) >= objects));
    if (run >= 2) {
      product.push(withRules);
      baseline.push(without);
    }
  }
  await Promise.all(receivers.map((receiver) => receiver.stop()));
  const title = `A request that changes ${objects} objects with ${EVENT_RULE_COUNT} matching rules, relative to no rules`;
  return computeComparison({ title, unit: 'ms', target: { atMost: 1.15 } }, product, baseline);
}

/**
 * Measures webhooks. The figures are the latency of one delivery, the delay that unresponsive receivers cause, and the
 * time that triggering webhooks adds to a request.
 */
export async function* measureWebhooks(
  stack: BenchmarkServices,
  size: WebhookBenchmarkSize,
): AsyncGenerator<ComparisonResult[]> {
  const inventory = await WebhookBenchmarkInventory.startWithSites(
    stack,
    Math.max(size.objects, size.deliveriesEach, 10),
  );
  try {
    yield await measureWebhookLatency(inventory, stack, size);
    yield [await measureBulkChangeRequestTime(inventory, size)];
    yield [await measureUnresponsiveReceiverDelay(inventory, size)];
  } finally {
    await inventory.stop();
  }
}
