import { type ComparisonResult, measureComparison } from '../compare-with-baseline.js';
import type { BenchmarkServices } from '../benchmark-services.js';
import { EventServers, STORE_SERVERS } from './event-servers.js';
import { registerEventQueues, SubscribedClients } from './event-subscribers.js';
import { MinimalHttpConnection } from './http-connection.js';

const SENDER_COUNT = 8;
const SUBSCRIBER_COUNT = 8;

/** Number of events that each run sends. */
export const eventsPerTableStoreRun = 1_000;

/** Text that each event in a response contains once. Heartbeats do not contain it. */
const EVENT_TEXT = '"flags":[]';

/** Polls one event queue until its subscriber has received `count` events. */
async function receiveEvents(subscribers: SubscribedClients, index: number, count: number): Promise<void> {
  for (let received = 0; received < count;) {
    const { body } = await subscribers.pollOnce(index);
    received += body.split(EVENT_TEXT).length - 1;
  }
}

/**
 * Sends events of one realm over several connections. Returns the number of events per second until all subscribers have
 * received all events.
 */
async function measureDeliveredEventsPerSecond(
  senders: readonly MinimalHttpConnection[],
  subscribers: SubscribedClients,
  eventCount: number,
): Promise<number> {
  const started = performance.now();
  let left = eventCount;
  const sendEvents = async (connection: MinimalHttpConnection): Promise<void> => {
    while (left > 0) {
      left -= 1;
      await connection.post('/send', { content: 'as many as possible' });
    }
  };
  await Promise.all([
    ...senders.map(sendEvents),
    ...Array.from({ length: SUBSCRIBER_COUNT }, (_, index) => receiveEvents(subscribers, index, eventCount)),
  ]);
  return eventCount / ((performance.now() - started) / 1000);
}

/** Compares the throughput of the event log in tables with its throughput in Redis, on the same service. */
export async function measureTableStore(stack: BenchmarkServices, eventCount: number): Promise<ComparisonResult[]> {
  const servers = await EventServers.create(stack, STORE_SERVERS);
  const users = Array.from({ length: SUBSCRIBER_COUNT }, (_, index) => index + 1);
  const open: { close(): void }[] = [];
  const prepare = async (side: (typeof STORE_SERVERS)[number]): Promise<() => Promise<number>> => {
    const { origin } = await servers.startComparedServer(side, 'throughput');
    const subscribers = await SubscribedClients.openClients(origin, await registerEventQueues(origin, users));
    const senders = await Promise.all(Array.from({ length: SENDER_COUNT }, () => MinimalHttpConnection.open(origin)));
    open.push(subscribers, ...senders);
    return () => measureDeliveredEventsPerSecond(senders, subscribers, eventCount);
  };
  try {
    const title = `Events delivered per second from ${SENDER_COUNT} senders to ${SUBSCRIBER_COUNT} subscribers, in tables (baseline: in Redis)`;
    const [product, baseline] = [await prepare('tables'), await prepare('redis')];
    return [await measureComparison({ title, unit: 'events/s', product, baseline, target: null }, 2)];
  } finally {
    for (const connection of open) connection.close();
    await servers.stopServers();
  }
}
