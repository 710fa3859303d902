import { setTimeout as sleep } from 'node:timers/promises';
import {
  type ComparisonResult,
  computeComparison,
  type LimitResult,
  compareWithLimit,
  MEASURED_RUN_COUNT,
} from '../compare-with-baseline.js';
import { computeMedian } from '../measure-load.js';
import type { EventServers, ComparedServer } from './event-servers.js';
import { type PolledEventQueue, registerEventQueues, SubscribedClients } from './event-subscribers.js';

const PENDING_POLL_COUNT = 10_000;
/**
 * Number of polls that are pending at the first memory measurement. With these pending polls, the first measurement
 * includes all one-time allocations.
 */
const INITIAL_POLL_COUNT = 10;

/** Number of polls that start at the same time. In practice, idle clients poll at different moments. */
const CONCURRENT_POLL_STARTS = 500;

const MAX_MEMORY_RATIO = 1.5;
const MAX_POLL_WAKE_MS = 2;
const MEASURED_POLL_WAKES = 20;

/** Number of open files that this process and each server need. */
const REQUIRED_OPEN_FILES = PENDING_POLL_COUNT + 500;

interface IdlePollMeasurement {
  /** Resident memory of the server per additional pending poll with its connection, in kilobytes. */
  readonly pollKilobytes: number;
  /**
   * Median time in milliseconds from a send for one user to the end of this user's poll. The first value is measured
   * with few pending polls, the second with many.
   */
  readonly wakeMs: readonly [few: number, many: number];
}

/**
 * Checks the limit of open files. @throws Error if this process may not open enough files. Node has already raised the
 *   soft limit to the maximum.
 */
function requireOpenFileLimit(): void {
  const report = process.report.getReport();
  const { userLimits } = report as { userLimits?: { open_files?: { soft: number | string } } };
  const soft = userLimits?.open_files?.soft;
  if (typeof soft === 'number' && soft < REQUIRED_OPEN_FILES) {
    throw new Error(
      `${PENDING_POLL_COUNT} idle polls need ${REQUIRED_OPEN_FILES} open files a process, the limit is ${soft}: raise ulimit -n`,
    );
  }
}

/**
 * Returns the median time in milliseconds from a send to the response of the first subscriber's poll, while
 * `pendingCount` polls are pending.
 */
async function measureMedianWakeTime(subscribers: SubscribedClients, pendingCount: number): Promise<number> {
  const samples: number[] = [];
  for (let n = 0; n < MEASURED_POLL_WAKES; n += 1) {
    const [poll] = await subscribers.startPolls(0, 1, pendingCount);
    await sleep(10);
    const started = await subscribers.sendMessage({ content: 'wake', to: subscribers.getUserIdAt(0) });
    const response = await poll;
    samples.push((response?.at ?? Number.NaN) - started);
  }
  return computeMedian(samples);
}

/**
 * Measures memory and response times of one server, first with few pending polls, then with all polls. Another server
 * of the same kind has created the event queues, because any process can serve any client.
 */
async function measureIdlePolls(
  servers: EventServers,
  side: ComparedServer,
  queues: readonly PolledEventQueue[],
  wake: boolean,
): Promise<IdlePollMeasurement> {
  const server = await servers.startComparedServer(side);
  const subscribers = await SubscribedClients.openClients(server.origin, queues, INITIAL_POLL_COUNT);
  try {
    // These polls are pending until the server stops.
    const rest: Promise<unknown>[] = await subscribers.startPolls(1, INITIAL_POLL_COUNT);
    const few = wake ? await measureMedianWakeTime(subscribers, INITIAL_POLL_COUNT) : 0;
    const before = await subscribers.measureServerMemory();
    await subscribers.connectClients(PENDING_POLL_COUNT);
    for (let from = INITIAL_POLL_COUNT; from < PENDING_POLL_COUNT; from += CONCURRENT_POLL_STARTS) {
      const to = Math.min(PENDING_POLL_COUNT, from + CONCURRENT_POLL_STARTS);
      rest.push(...(await subscribers.startPolls(from, to, to - 1)));
    }
    const after = await subscribers.measureServerMemory();
    const many = wake ? await measureMedianWakeTime(subscribers, PENDING_POLL_COUNT) : 0;
    return { pollKilobytes: (after - before) / (PENDING_POLL_COUNT - INITIAL_POLL_COUNT) / 1024, wakeMs: [few, many] };
  } finally {
    subscribers.close();
    await server.stop();
  }
}

/**
 * Measures the memory of a pending poll, and the time from a send to the poll response while ten thousand polls are
 * pending.
 */
export async function measureIdlePollFigures(servers: EventServers): Promise<(ComparisonResult | LimitResult)[]> {
  requireOpenFileLimit();
  const users = Array.from({ length: PENDING_POLL_COUNT }, (_, index) => index + 1);
  const registrar = await servers.startComparedServer('product');
  const queues = await registerEventQueues(registrar.origin, users);
  await registrar.stop();
  const none = users.map((user) => ({ user, queueId: 'none', lastEventId: 0, unread: '' }));
  const product: IdlePollMeasurement[] = [];
  const baseline: IdlePollMeasurement[] = [];
  for (let round = 0; round < MEASURED_RUN_COUNT; round += 1) {
    baseline.push(await measureIdlePolls(servers, 'baseline', none, false));
    product.push(await measureIdlePolls(servers, 'product', queues, true));
  }
  const kilobytes = (measured: readonly IdlePollMeasurement[]): number[] =>
    measured.map(({ pollKilobytes }) => pollKilobytes);
  const slower = product.map(({ wakeMs: [few, many] }) => many - few);
  return [
    computeComparison(
      { title: 'Memory per idle poll, with 10,000 pending', unit: 'kB', target: { atMost: MAX_MEMORY_RATIO } },
      kilobytes(product),
      kilobytes(baseline),
    ),
    compareWithLimit(
      'Additional time to complete one poll with 10,000 pending instead of 10',
      'ms',
      slower,
      MAX_POLL_WAKE_MS,
    ),
  ];
}
