import { setTimeout as sleep } from 'node:timers/promises';
import { type ComparisonResult, computeComparison, MEASURED_RUN_COUNT } from '../compare-with-baseline.js';
import { computeMedian, computeQuantile } from '../measure-load.js';
import type { SenderProcess } from './event-sender.js';
import { type EventServers, type ComparedServer, COMPARED_SERVERS } from './event-servers.js';
import { registerEventQueues, SubscribedClients } from './event-subscribers.js';

/**
 * Measured numbers of polling subscribers, largest first. Each number has its rounds per server, sends per round, and
 * maximum ratio to the baseline. With few sends, one slow send would be the 99th percentile; in long rounds, one server
 * could get all slow moments of the machine.
 */
const SUBSCRIBER_COUNT_STEPS = [
  { count: 5_000, turns: 4, sends: 1, atMost: 1.15 },
  { count: 500, turns: 20, sends: 8, atMost: 1.15 },
  { count: 50, turns: 4, sends: 8, atMost: null },
  { count: 1, turns: 15, sends: 20, atMost: 1.5 },
] as const;

type SubscriberCountStep = (typeof SUBSCRIBER_COUNT_STEPS)[number];

const MAX_SUBSCRIBERS = SUBSCRIBER_COUNT_STEPS[0].count;

/**
 * Maximum ratio of two acknowledgement times: the time with {@link MAX_SUBSCRIBERS} subscribers, divided by the time
 * with one subscriber.
 */
const MAX_ACKNOWLEDGEMENT_RATIO = 1.3;
const MEASURED_ACKNOWLEDGEMENT_COUNT = 15;
const ACKNOWLEDGEMENT_SEND_INTERVAL_MS = 500;

/**
 * Number of sends at the start of each round that are not measured. V8 compiles the code of a send gradually: all
 * servers become faster for about a thousand sends.
 */
const WARM_UP_SENDS = 2_000;

/** Number of warm-up rounds as a fraction of the measured rounds. */
const WARM_UP_ROUND_FRACTION = 1 / 4;

/**
 * Pause in milliseconds between the start of the last poll and the send of a message. During the pause, the server
 * registers all polls.
 */
const PAUSE_BEFORE_SEND_MS = 10;

const testMessageBody = { content: 'how long does this take' };
const formatSubscriberCount = (count: number): string => count.toLocaleString('en');

type ConnectedServers = Readonly<Record<ComparedServer, SubscribedClients>>;

/**
 * Sends one message. Returns, for each of `count` polling subscribers, the milliseconds until the subscriber receives
 * the event.
 */
async function sendAndMeasureReceiptTimes(subscribers: SubscribedClients, count: number): Promise<number[]> {
  const polls = await subscribers.startPolls(0, count);
  await sleep(PAUSE_BEFORE_SEND_MS);
  const started = await subscribers.sendMessage(testMessageBody);
  return (await Promise.all(polls)).map(({ at }) => at - started);
}

/**
 * Warms up a server with sends to one subscriber. Then moves the event queues of the other subscribers past the events
 * of these sends.
 */
async function sendWarmUpEvents(subscribers: SubscribedClients): Promise<void> {
  for (let n = 0; n < WARM_UP_SENDS; n += 1) {
    const polls = await subscribers.startPolls(0, 1);
    await subscribers.sendMessage(testMessageBody);
    await Promise.all(polls);
  }
  subscribers.moveQueuesToFirstPosition(1);
}

/**
 * Returns the order in which product and baselines are measured in a round. The order rotates from round to round, so
 * that no server always profits from warm caches.
 */
function createMeasurementOrder(turn: number): ComparedServer[] {
  const first = Math.abs(turn) % COMPARED_SERVERS.length;
  return [...COMPARED_SERVERS.slice(first), ...COMPARED_SERVERS.slice(0, first)];
}

/** Median and 99th percentile of the times from send to receipt in one round of one server, in milliseconds. */
interface RoundReceiptTimes {
  readonly p50: number;
  readonly p99: number;
}

/** Median and 99th percentile of all rounds, by measured server. */
type ReceiptTimesByServer = Record<ComparedServer, RoundReceiptTimes[]>;

async function measureFanOut(
  sides: ConnectedServers,
  { count, turns, sends }: SubscriberCountStep,
): Promise<Record<ComparedServer, RoundReceiptTimes>> {
  const samples: Record<ComparedServer, number[]> = { baseline: [], product: [], doorbell: [] };
  for (let turn = -Math.ceil(turns * WARM_UP_ROUND_FRACTION); turn < turns; turn += 1) {
    for (const side of createMeasurementOrder(turn)) {
      for (let n = 0; n < sends; n += 1) {
        const times = await sendAndMeasureReceiptTimes(sides[side], count);
        if (turn >= 0) samples[side].push(...times);
      }
    }
  }
  const sharesOf = (side: ComparedServer): RoundReceiptTimes => ({
    p50: computeQuantile(samples[side], 0.5),
    p99: computeQuantile(samples[side], 0.99),
  });
  return { baseline: sharesOf('baseline'), product: sharesOf('product'), doorbell: sharesOf('doorbell') };
}

function computeFanOutComparisons(
  rounds: ReceiptTimesByServer,
  { count, atMost }: SubscriberCountStep,
): ComparisonResult[] {
  const who = `${formatSubscriberCount(count)} ${count === 1 ? 'subscriber' : 'subscribers'}`;
  return (['p50', 'p99'] as const).flatMap((share) => {
    const values = (side: ComparedServer): number[] => rounds[side].map((round) => round[share]);
    const title = `Time from sending to receiving, ${who}, ${share}`;
    const target = atMost === null ? null : { atMost };
    return [
      computeComparison({ title, unit: 'ms', target }, values('product'), values('baseline')),
      computeComparison(
        { title: `${title}, by the wakeup queue alone`, unit: 'ms', target: null },
        values('doorbell'),
        values('baseline'),
      ),
    ];
  });
}

/**
 * Returns the median time from a send to its acknowledgement, in milliseconds. Starts a send every
 * {@link ACKNOWLEDGEMENT_SEND_INTERVAL_MS} milliseconds.
 */
async function measureMedianAcknowledgement(
  subscribers: SubscribedClients,
  sender: SenderProcess,
  count: number,
): Promise<number> {
  const samples: number[] = [];
  for (let n = 0; n < MEASURED_ACKNOWLEDGEMENT_COUNT; n += 1) {
    const began = performance.now();
    const polls = await subscribers.startPolls(0, count);
    await sleep(PAUSE_BEFORE_SEND_MS);
    samples.push(await sender.sendMessage(testMessageBody));
    await Promise.all(polls);
    await sleep(Math.max(0, ACKNOWLEDGEMENT_SEND_INTERVAL_MS - (performance.now() - began)));
  }
  return computeMedian(samples);
}

async function compareAcknowledgementTimes(subscribers: SubscribedClients): Promise<ComparisonResult> {
  const many: number[] = [];
  const one: number[] = [];
  const sender = await subscribers.startSenderProcess();
  try {
    for (let round = 0; round < MEASURED_RUN_COUNT; round += 1) {
      one.push(await measureMedianAcknowledgement(subscribers, sender, 1));
      subscribers.moveQueuesToFirstPosition(1);
      many.push(await measureMedianAcknowledgement(subscribers, sender, MAX_SUBSCRIBERS));
    }
  } finally {
    sender.close();
  }
  const title = `Response to a send with ${formatSubscriberCount(MAX_SUBSCRIBERS)} subscribers (baseline: the same with one)`;
  return computeComparison({ title, unit: 'ms', target: { atMost: MAX_ACKNOWLEDGEMENT_RATIO } }, many, one);
}

/** Starts a new server of the product or of a baseline, warms the server up and connects all subscribers. */
async function startServerAndConnectSubscribers(
  servers: EventServers,
  side: ComparedServer,
  realm: string,
): Promise<SubscribedClients> {
  const users = Array.from({ length: MAX_SUBSCRIBERS }, (_, index) => index + 1);
  const { origin } = await servers.startComparedServer(side, realm);
  const subscribers = await SubscribedClients.openClients(origin, await registerEventQueues(origin, users), 1);
  await sendWarmUpEvents(subscribers);
  // Connected after the warm-up, because the server closes connections that are idle for long.
  await subscribers.connectClients(MAX_SUBSCRIBERS);
  return subscribers;
}

/**
 * Measures the time from send to receipt for each number of subscribers, and the time until the sender's
 * acknowledgement. Each round starts new servers, because the speed of two processes with the same code can differ by
 * some percent.
 */
export async function measureFanOutFigures(servers: EventServers): Promise<ComparisonResult[]> {
  const measured = SUBSCRIBER_COUNT_STEPS.map((step) => ({
    step,
    rounds: { baseline: [], product: [], doorbell: [] } as ReceiptTimesByServer,
  }));
  for (let round = 0; round < MEASURED_RUN_COUNT; round += 1) {
    const sides: ConnectedServers = {
      baseline: await startServerAndConnectSubscribers(servers, 'baseline', `round-${round}`),
      product: await startServerAndConnectSubscribers(servers, 'product', `round-${round}`),
      doorbell: await startServerAndConnectSubscribers(servers, 'doorbell', `round-${round}`),
    };
    for (const { step, rounds } of measured) {
      const shares = await measureFanOut(sides, step);
      for (const side of COMPARED_SERVERS) rounds[side].push(shares[side]);
    }
    for (const side of COMPARED_SERVERS) sides[side].close();
    await servers.stopServers();
  }
  const figures = measured.flatMap(({ step, rounds }) => computeFanOutComparisons(rounds, step));
  const product = await startServerAndConnectSubscribers(servers, 'product', 'acknowledged');
  try {
    return [...figures, await compareAcknowledgementTimes(product)];
  } finally {
    product.close();
    await servers.stopServers();
  }
}
