import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryRoot, type BenchmarkServices } from './benchmark-services.js';
import { createBenchmarkRealm, fetchOwnerAuthorization, type ChatClient, openChatClient } from './chat-client.js';
import { type ComparisonResult, computeComparison, MEASURED_RUN_COUNT } from './compare-with-baseline.js';
import { computeQuantile } from './measure-load.js';
import { readResidentMemoryKilobytes } from './process-memory.js';
import { findFreePort, type ServerProcess, startServerProcess } from './server-process.js';
import { RawHttpClient } from './streams/raw-stream-client.js';
import {
  type ClientEventQueue,
  callWithLimitedConcurrency,
  EventQueueClient,
  registerEventQueues,
  type EventTransport,
} from './streams/stream-clients.js';
import { subscribeRealmOwnerToChannel } from './streams/subscribe-owner-to-channels.js';
import { V8InspectorClient } from './v8-inspector.js';

const EVENT_STREAM_COUNT = 5_000;

/**
 * Number of streams that are open at the first memory measurement. With these open streams, the first measurement
 * includes all one-time allocations.
 */
const INITIAL_EVENT_STREAM_COUNT = 50;

/** Number of events that each open stream receives before a memory measurement. */
const EVENTS_BEFORE_MEMORY_MEASUREMENT = 5;

/**
 * Number of messages in each measured round of a transport (streams or long polls). Messages for warm-up are
 * additional.
 */
const MESSAGES_PER_ROUND = 5;
const WARM_UP_MESSAGES = 2;

const CLIENT_WAIT_LIMIT_MS = 60_000;

/**
 * A server with open streams of server-sent events. The server has a V8 inspector, through which the benchmark starts
 * garbage collections.
 */
interface OpenEventStreams {
  readonly server: ServerProcess;
  /** Opens streams to the server until `count` streams are open. */
  openUntil(count: number): Promise<void>;
  /** Writes one event to every open stream. */
  write(): Promise<void>;
  close(): Promise<void>;
}

/** Returns the additional resident memory of a server per additional open stream, in kilobytes. */
async function computeKilobytesPerStream(streams: OpenEventStreams, inspector: V8InspectorClient): Promise<number> {
  const settled = async (): Promise<number> => {
    for (let count = 0; count < EVENTS_BEFORE_MEMORY_MEASUREMENT; count += 1) await streams.write();
    await sleep(500);
    await inspector.collectGarbage();
    return readResidentMemoryKilobytes(streams.server.pid);
  };
  await streams.openUntil(INITIAL_EVENT_STREAM_COUNT);
  const before = await settled();
  await streams.openUntil(EVENT_STREAM_COUNT);
  return ((await settled()) - before) / (EVENT_STREAM_COUNT - INITIAL_EVENT_STREAM_COUNT);
}

async function measureStreamMemory(start: (env: Record<string, string>) => Promise<OpenEventStreams>): Promise<number> {
  const port = await findFreePort();
  const streams = await start({ NODE_OPTIONS: `--inspect=127.0.0.1:${port}` });
  const inspector = await V8InspectorClient.connect(port);
  try {
    return await computeKilobytesPerStream(streams, inspector);
  } finally {
    inspector.close();
    await streams.close();
  }
}

/** Opens streams of a minimal baseline server, which writes `text` to each stream. */
async function openBaselineEventStreams(text: string, env: Record<string, string>): Promise<OpenEventStreams> {
  const script = join(import.meta.dirname, 'baselines/open-event-streams-server.js');
  const server = await startServerProcess(script, env, '/health/ready');
  const clients: RawHttpClient[] = [];
  return {
    server,
    async openUntil(count) {
      const added = await callWithLimitedConcurrency(Array.from({ length: count - clients.length }), async () => {
        const client = await RawHttpClient.openConnection(server.origin, '');
        client.sendGetRequest('/open');
        await client.waitForText('retry');
        return client;
      });
      clients.push(...added);
    },
    async write() {
      for (const client of clients) client.discardReceivedText();
      const arrivals = clients.map((client) => client.waitForText('data: '));
      const body = JSON.stringify({ text });
      await fetch(`${server.origin}/write`, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      await Promise.all(arrivals);
    },
    async close() {
      for (const client of clients) client.close();
      await server.stop();
    },
  };
}

/** A running chat service, and the event queues that the realm owner has registered there. */
interface ChatServiceWithQueues {
  readonly env: Record<string, string>;
  readonly authorization: string;
  readonly queues: readonly ClientEventQueue[];
}

/** Opens clients of the chat service, one for each event queue of the realm owner. */
async function openChatClients(
  { authorization, queues }: ChatServiceWithQueues,
  server: ServerProcess,
  from: number,
  to: number,
) {
  return callWithLimitedConcurrency(queues.slice(from, to), (queue) =>
    EventQueueClient.openConnection(server, authorization, queue),
  );
}

/**
 * Sends a chat message as the realm owner. Returns, for each client, the time in milliseconds from the start of the
 * request until the client receives the message.
 */
async function sendAndMeasureClientReceipts(
  sender: ChatClient,
  clients: readonly EventQueueClient[],
): Promise<number[]> {
  const arrivals = clients.map((client) => client.waitForText('"type":"message"'));
  const started = performance.now();
  const sent = sender.post('/api/v1/messages', {
    type: 'stream',
    to: 'general',
    topic: 'benchmark',
    content: 'how long does this take',
  });
  const times = (await Promise.all(arrivals)).map((at) => at - started);
  await sent;
  return times;
}

async function openChatEventStreams(
  chat: ChatServiceWithQueues,
  env: Record<string, string>,
): Promise<OpenEventStreams> {
  const metricsPort = await findFreePort();
  const server = await startServerProcess(
    join(repositoryRoot, 'apps/chat/dist/bundle.js'),
    { ...chat.env, ...env, METRICS_PORT: String(metricsPort) },
    '/health/ready',
  );
  const sender = openChatClient(server, chat.authorization);
  const clients: EventQueueClient[] = [];
  return {
    server,
    async openUntil(count) {
      const added = await openChatClients(chat, server, clients.length, count);
      await callWithLimitedConcurrency(added, async (client) => {
        client.sendEventRequest('stream');
        await client.waitForText('retry');
      });
      clients.push(...added);
      await waitUntilClientsWait(metricsPort, count);
    },
    async write() {
      for (const client of clients) client.discardReceivedText();
      await sendAndMeasureClientReceipts(sender, clients);
      await waitUntilClientsWait(metricsPort, clients.length);
    },
    async close() {
      for (const client of clients) client.discardReceivedText();
      for (const client of clients) client.close();
      await sender.close();
      await server.stop();
    },
  };
}

/** Waits until the given number of polls and streams at the chat service wait for an event. */
async function waitUntilClientsWait(metricsPort: number, count: number): Promise<void> {
  const deadline = performance.now() + CLIENT_WAIT_LIMIT_MS;
  let waiting = -1;
  while (performance.now() < deadline) {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    waiting = Number(/^event_polls_held (\d+)$/m.exec(text)?.[1]);
    if (waiting === count) return;
    await sleep(50);
  }
  throw new Error(`${waiting} of ${count} polls and streams waited after ${CLIENT_WAIT_LIMIT_MS} ms`);
}

/**
 * Measures the median time from sending a message until all clients of one transport have received the message, in
 * milliseconds.
 */
async function measureMedianReceiptMs(chat: ChatServiceWithQueues, transport: EventTransport): Promise<number> {
  const metricsPort = await findFreePort();
  const env = { ...chat.env, METRICS_PORT: String(metricsPort) };
  const server = await startServerProcess(join(repositoryRoot, 'apps/chat/dist/bundle.js'), env, '/health/ready');
  const sender = openChatClient(server, chat.authorization);
  const clients = await openChatClients(chat, server, 0, EVENT_STREAM_COUNT);
  const times: number[] = [];
  try {
    for (let message = -WARM_UP_MESSAGES; message < MESSAGES_PER_ROUND; message += 1) {
      if (transport === 'poll' || message === -WARM_UP_MESSAGES)
        for (const client of clients) client.sendEventRequest(transport);
      await waitUntilClientsWait(metricsPort, EVENT_STREAM_COUNT);
      for (const client of clients) if (transport === 'stream') client.discardReceivedText();
      const round = await sendAndMeasureClientReceipts(sender, clients);
      if (message >= 0) times.push(...round);
      for (const client of clients) if (transport === 'poll') client.discardReceivedText();
    }
    for (const client of clients) client.discardReceivedText();
    return computeQuantile(times, 0.5);
  } finally {
    for (const client of clients) client.close();
    await sender.close();
    await server.stop();
  }
}

/** Returns the bytes of one event in the form that a stream client receives. */
async function createEventStreamText(chat: ChatServiceWithQueues): Promise<string> {
  const server = await startServerProcess(join(repositoryRoot, 'apps/chat/dist/bundle.js'), chat.env, '/health/ready');
  const sender = openChatClient(server, chat.authorization);
  const [client] = await openChatClients(chat, server, 0, 1);
  if (client === undefined) throw new Error('no event queue');
  try {
    client.sendEventRequest('stream');
    await client.waitForText('retry');
    client.discardReceivedText();
    await sendAndMeasureClientReceipts(sender, [client]);
    const chunk = client.receivedText;
    client.discardReceivedText();
    // Without the sizes of HTTP chunks.
    return chunk.slice(chunk.indexOf('id: ')).trimEnd() + '\n\n';
  } finally {
    client.close();
    await sender.close();
    await server.stop();
  }
}

/** Creates a realm whose owner has event queues. Any process of the chat service can serve these queues. */
async function createRealmWithEventQueues(stack: BenchmarkServices): Promise<ChatServiceWithQueues> {
  const database = stack.services.postgresUrl('bench_streams');
  const env = { ...stack.envOf('chat'), DATABASE_URL: database, REDIS_KEY_PREFIX: 'bench:streams:' };
  createBenchmarkRealm(env);
  await subscribeRealmOwnerToChannel(database);
  const server = await startServerProcess(join(repositoryRoot, 'apps/chat/dist/bundle.js'), env, '/health/ready');
  try {
    const authorization = await fetchOwnerAuthorization(server);
    return { env, authorization, queues: await registerEventQueues(server, authorization, EVENT_STREAM_COUNT) };
  } finally {
    await server.stop();
  }
}

/**
 * Measures 5,000 streams of server-sent events in one process of the chat service. Compares the streams with long polls
 * of the same clients, and with a minimal server that writes the same bytes to open responses.
 */
export async function compareChatStreamsWithBaseline(stack: BenchmarkServices): Promise<ComparisonResult[]> {
  const chat = await createRealmWithEventQueues(stack);
  const text = await createEventStreamText(chat);
  const memory: [product: number, bare: number][] = [];
  const receipts: [streams: number, polls: number][] = [];
  for (let round = 0; round < MEASURED_RUN_COUNT; round += 1) {
    const bare = await measureStreamMemory((env) => openBaselineEventStreams(text, env));
    memory.push([await measureStreamMemory((env) => openChatEventStreams(chat, env)), bare]);
    const polls = await measureMedianReceiptMs(chat, 'poll');
    receipts.push([await measureMedianReceiptMs(chat, 'stream'), polls]);
  }
  return [
    computeComparison(
      { title: 'Memory per stream, with 5,000 open', unit: 'kB', target: { atMost: 1.5 } },
      memory.map(([product]) => product),
      memory.map(([, bare]) => bare),
    ),
    computeComparison(
      {
        title: 'Time from sending to receiving by 5,000 streams, p50 (baseline: by 5,000 long polls)',
        unit: 'ms',
        target: { atMost: 1.15 },
      },
      receipts.map(([streams]) => streams),
      receipts.map(([, polls]) => polls),
    ),
  ];
}
