import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { repositoryRoot, type BenchmarkServices } from './benchmark-services.js';
import { addRealm, fetchOwnerAuthorization, type ChatClient, openChatClient } from './chat-client.js';
import { type ComparisonResult, computeComparison, MEASURED_RUN_COUNT } from './compare-with-baseline.js';
import { computeQuantile } from './measure-load.js';
import { residentKilobytes } from './process-memory.js';
import { findFreePort, type ServerProcess, startServer } from './server-process.js';
import { RawClient } from './streams/raw-stream-client.js';
import {
  type ClientQueue,
  runRequestsInGroups,
  QueueClient,
  registerQueues,
  type EventTransport,
} from './streams/stream-clients.js';
import { subscribeOwner } from './streams/subscribe-owner-to-channels.js';
import { V8Inspector } from './v8-inspector.js';

const STREAM_COUNT = 5_000;

/**
 * Number of streams that are open at the first memory measurement. With these open streams, the first measurement
 * includes all one-time allocations.
 */
const INITIAL_STREAM_COUNT = 50;

/** Number of events that each open stream receives before a memory measurement. */
const EVENTS_BEFORE_MEMORY_MEASUREMENT = 5;

/**
 * Number of messages in each measured round of a transport (streams or long polls). Messages for warm-up are
 * additional.
 */
const MESSAGES_PER_ROUND = 5;
const WARM_UP_MESSAGES = 2;

const WAIT_LIMIT_MS = 60_000;

/**
 * A server with open streams of server-sent events. The server has a V8 inspector, through which the benchmark starts
 * garbage collections.
 */
interface OpenStreams {
  readonly server: ServerProcess;
  /** Opens streams to the server until `count` streams are open. */
  openUntil(count: number): Promise<void>;
  /** Writes one event to every open stream. */
  write(): Promise<void>;
  close(): Promise<void>;
}

/** Returns the additional resident memory of a server per additional open stream, in kilobytes. */
async function kilobytesPerStream(streams: OpenStreams, inspector: V8Inspector): Promise<number> {
  const settled = async (): Promise<number> => {
    for (let count = 0; count < EVENTS_BEFORE_MEMORY_MEASUREMENT; count += 1) await streams.write();
    await sleep(500);
    await inspector.collectGarbage();
    return residentKilobytes(streams.server.pid);
  };
  await streams.openUntil(INITIAL_STREAM_COUNT);
  const before = await settled();
  await streams.openUntil(STREAM_COUNT);
  return ((await settled()) - before) / (STREAM_COUNT - INITIAL_STREAM_COUNT);
}

async function measureMemory(start: (env: Record<string, string>) => Promise<OpenStreams>): Promise<number> {
  const port = await findFreePort();
  const streams = await start({ NODE_OPTIONS: `--inspect=127.0.0.1:${port}` });
  const inspector = await V8Inspector.connect(port);
  try {
    return await kilobytesPerStream(streams, inspector);
  } finally {
    inspector.close();
    await streams.close();
  }
}

/** Opens streams of a minimal baseline server, which writes `text` to each stream. */
async function openBareStreams(text: string, env: Record<string, string>): Promise<OpenStreams> {
  const script = join(import.meta.dirname, 'baselines/open-responses-server.js');
  const server = await startServer(script, env, '/health/ready');
  const clients: RawClient[] = [];
  return {
    server,
    async openUntil(count) {
      const added = await runRequestsInGroups(Array.from({ length: count - clients.length }), async () => {
        const client = await RawClient.open(server.origin, '');
        client.get('/open');
        await client.arrival('retry');
        return client;
      });
      clients.push(...added);
    },
    async write() {
      for (const client of clients) client.reset();
      const arrivals = clients.map((client) => client.arrival('data: '));
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
interface ChatStack {
  readonly env: Record<string, string>;
  readonly authorization: string;
  readonly queues: readonly ClientQueue[];
}

/** Opens clients of the chat service, one for each event queue of the realm owner. */
async function openChatClients({ authorization, queues }: ChatStack, server: ServerProcess, from: number, to: number) {
  return runRequestsInGroups(queues.slice(from, to), (queue) => QueueClient.open(server, authorization, queue));
}

/**
 * Sends a chat message as the realm owner. Returns, for each client, the time in milliseconds from the start of the
 * request until the client receives the message.
 */
async function sendToClients(sender: ChatClient, clients: readonly QueueClient[]): Promise<number[]> {
  const arrivals = clients.map((client) => client.arrival('"type":"message"'));
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

async function measureChatStreams(chat: ChatStack, env: Record<string, string>): Promise<OpenStreams> {
  const metricsPort = await findFreePort();
  const server = await startServer(
    join(repositoryRoot, 'apps/chat/dist/bundle.js'),
    { ...chat.env, ...env, METRICS_PORT: String(metricsPort) },
    '/health/ready',
  );
  const sender = openChatClient(server, chat.authorization);
  const clients: QueueClient[] = [];
  return {
    server,
    async openUntil(count) {
      const added = await openChatClients(chat, server, clients.length, count);
      await runRequestsInGroups(added, async (client) => {
        client.wait('stream');
        await client.arrival('retry');
      });
      clients.push(...added);
      await waitUntilStreamsWait(metricsPort, count);
    },
    async write() {
      for (const client of clients) client.acknowledge();
      await sendToClients(sender, clients);
      await waitUntilStreamsWait(metricsPort, clients.length);
    },
    async close() {
      for (const client of clients) client.acknowledge();
      for (const client of clients) client.close();
      await sender.close();
      await server.stop();
    },
  };
}

/** Waits until the given number of polls and streams at the chat service wait for an event. */
async function waitUntilStreamsWait(metricsPort: number, count: number): Promise<void> {
  const deadline = performance.now() + WAIT_LIMIT_MS;
  let waiting = -1;
  while (performance.now() < deadline) {
    const text = await (await fetch(`http://127.0.0.1:${metricsPort}/metrics`)).text();
    waiting = Number(/^event_polls_held (\d+)$/m.exec(text)?.[1]);
    if (waiting === count) return;
    await sleep(50);
  }
  throw new Error(`${waiting} of ${count} polls and streams waited after ${WAIT_LIMIT_MS} ms`);
}

/**
 * Measures the median time from sending a message until all clients of one transport have received the message, in
 * milliseconds.
 */
async function measureMedianReceiptMs(chat: ChatStack, transport: EventTransport): Promise<number> {
  const metricsPort = await findFreePort();
  const env = { ...chat.env, METRICS_PORT: String(metricsPort) };
  const server = await startServer(join(repositoryRoot, 'apps/chat/dist/bundle.js'), env, '/health/ready');
  const sender = openChatClient(server, chat.authorization);
  const clients = await openChatClients(chat, server, 0, STREAM_COUNT);
  const times: number[] = [];
  try {
    for (let message = -WARM_UP_MESSAGES; message < MESSAGES_PER_ROUND; message += 1) {
      if (transport === 'poll' || message === -WARM_UP_MESSAGES) for (const client of clients) client.wait(transport);
      await waitUntilStreamsWait(metricsPort, STREAM_COUNT);
      for (const client of clients) if (transport === 'stream') client.acknowledge();
      const round = await sendToClients(sender, clients);
      if (message >= 0) times.push(...round);
      for (const client of clients) if (transport === 'poll') client.acknowledge();
    }
    for (const client of clients) client.acknowledge();
    return computeQuantile(times, 0.5);
  } finally {
    for (const client of clients) client.close();
    await sender.close();
    await server.stop();
  }
}

/** Returns the bytes of one event in the form that a stream client receives. */
async function getTextOfEvent(chat: ChatStack): Promise<string> {
  const server = await startServer(join(repositoryRoot, 'apps/chat/dist/bundle.js'), chat.env, '/health/ready');
  const sender = openChatClient(server, chat.authorization);
  const [client] = await openChatClients(chat, server, 0, 1);
  if (client === undefined) throw new Error('no event queue');
  try {
    client.wait('stream');
    await client.arrival('retry');
    client.acknowledge();
    await sendToClients(sender, [client]);
    const chunk = client.text;
    client.acknowledge();
    // Without the sizes of HTTP chunks.
    return chunk.slice(chunk.indexOf('id: ')).trimEnd() + '\n\n';
  } finally {
    client.close();
    await sender.close();
    await server.stop();
  }
}

/** Creates a realm whose owner has event queues. Any process of the chat service can serve these queues. */
async function createQueues(stack: BenchmarkServices): Promise<ChatStack> {
  const database = stack.services.postgresUrl('bench_streams');
  const env = { ...stack.envOf('chat'), DATABASE_URL: database, REDIS_KEY_PREFIX: 'bench:streams:' };
  addRealm(env);
  await subscribeOwner(database);
  const server = await startServer(join(repositoryRoot, 'apps/chat/dist/bundle.js'), env, '/health/ready');
  try {
    const authorization = await fetchOwnerAuthorization(server);
    return { env, authorization, queues: await registerQueues(server, authorization, STREAM_COUNT) };
  } finally {
    await server.stop();
  }
}

/**
 * Measures 5,000 streams of server-sent events in one process of the chat service. Compares the streams with long polls
 * of the same clients, and with a minimal server that writes the same bytes to open responses.
 */
export async function chatStreamsFigures(stack: BenchmarkServices): Promise<ComparisonResult[]> {
  const chat = await createQueues(stack);
  const text = await getTextOfEvent(chat);
  const memory: [product: number, bare: number][] = [];
  const receipts: [streams: number, polls: number][] = [];
  for (let round = 0; round < MEASURED_RUN_COUNT; round += 1) {
    const bare = await measureMemory((env) => openBareStreams(text, env));
    memory.push([await measureMemory((env) => measureChatStreams(chat, env)), bare]);
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
