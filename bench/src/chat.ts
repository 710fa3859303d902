import { join } from 'node:path';
import { Pool } from 'undici';
import { createBenchmarkRealm, fetchOwnerAuthorization } from './chat-client.js';
import { type ComparisonResult, measureComparison } from './compare-with-baseline.js';
import { computeMedian } from './measure-load.js';
import { type ServerProcess, startServerProcess } from './server-process.js';
import { repositoryRoot, type BenchmarkServices } from './benchmark-services.js';
import { subscribeRealmOwnerToChannel } from './streams/subscribe-owner-to-channels.js';

const MEASURED_SEND_COUNT = 200;

/**
 * Number of warm-up sends to the chat service and to the baseline server, which are not measured. After the warm-up,
 * both servers behave like servers that have run for a while.
 */
const WARM_UP_SEND_COUNT = 2000;

/** A client that sends messages to a channel, and the event queue of the channel's only subscriber. */
interface MeasuredConversation {
  send(): Promise<void>;
  /** Resolves with the arrival time of the next batch of events, in milliseconds of `performance.now`. */
  receive(): Promise<number>;
  close(): Promise<void>;
}

/**
 * Returns the median time from the start of a send to the recipient's receipt of the event, over {@link
 * MEASURED_SEND_COUNT} sends, in milliseconds.
 */
async function measureMedianReceiptMs(conversation: MeasuredConversation): Promise<number> {
  const samples: number[] = [];
  for (let n = 0; n < MEASURED_SEND_COUNT; n += 1) {
    const arrival = conversation.receive();
    // The poll must be pending at the server before the send, as in normal use.
    await new Promise((resolve) => setTimeout(resolve, 10));
    const started = performance.now();
    const sent = conversation.send();
    samples.push((await arrival) - started);
    await sent;
  }
  return computeMedian(samples);
}

async function sendWarmUpMessages(conversation: MeasuredConversation): Promise<void> {
  for (let n = 0; n < WARM_UP_SEND_COUNT; n += 1) {
    await Promise.all([conversation.receive(), conversation.send()]);
  }
}

/** Opens a client that sends messages and a client that receives them, both on the baseline server. */
function openBaselineConversation(server: ServerProcess): MeasuredConversation {
  const pool = new Pool(server.origin, { connections: 2 });
  let last = 0;
  return {
    send: async () => {
      const { body } = await pool.request({
        method: 'POST',
        path: '/send',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ content: 'how long does this take' }),
      });
      await body.arrayBuffer();
    },
    receive: async () => {
      const { body } = await pool.request({ method: 'GET', path: `/events?last=${last}` });
      const { events } = (await body.json()) as { events: { id: number }[] };
      const arrived = performance.now();
      last = events.at(-1)?.id ?? last;
      return arrived;
    },
    close: () => pool.close(),
  };
}

/**
 * Opens a sender and a recipient on the chat service. Like a real client, the recipient registers an event queue once,
 * then polls the queue.
 */
async function openProductConversation(server: ServerProcess, authorization: string): Promise<MeasuredConversation> {
  const pool = new Pool(server.origin, { connections: 2 });
  const headers = {
    authorization,
    'content-type': 'application/x-www-form-urlencoded',
  };
  const call = async <T>(method: 'GET' | 'POST', path: string, parameters: Record<string, string>): Promise<T> => {
    const form = new URLSearchParams(parameters).toString();
    const response = await pool.request(
      method === 'GET' ? { method, path: `${path}?${form}`, headers } : { method, path, headers, body: form },
    );
    const parsed = (await response.body.json()) as T & { result: string; msg: string };
    if (parsed.result !== 'success') {
      throw new Error(`${method} ${path}: ${parsed.msg}`);
    }
    return parsed;
  };
  await call('POST', '/api/v1/messages', testMessageBody);
  const queue = await call<{ queue_id: string; last_event_id: number }>('POST', '/api/v1/register', {
    event_types: '["message"]',
    apply_markdown: 'true',
  });
  let last = queue.last_event_id;
  return {
    send: async () => {
      await call('POST', '/api/v1/messages', testMessageBody);
    },
    receive: async () => {
      const { events } = await call<{ events: { id: number }[] }>('GET', '/api/v1/events', {
        queue_id: queue.queue_id,
        last_event_id: String(last),
      });
      const arrived = performance.now();
      last = events.at(-1)?.id ?? last;
      return arrived;
    },
    close: () => pool.close(),
  };
}

const testMessageBody = { type: 'stream', to: 'general', topic: 'benchmark', content: 'how long does this take' };

/** Measures the time from sending a chat message to its receipt, for a channel with one subscriber. */
export async function measureChatMessageDelivery(stack: BenchmarkServices): Promise<ComparisonResult[]> {
  const env = stack.envOf('chat');
  createBenchmarkRealm(env);
  await subscribeRealmOwnerToChannel(env['DATABASE_URL'] ?? '');
  const product = await startServerProcess(join(repositoryRoot, 'apps/chat/dist/bundle.js'), env, '/health/ready');
  const ours = await openProductConversation(product, await fetchOwnerAuthorization(product));
  // Started after the product's first message, because the baseline copies its sender, recipient and client.
  const baseline = await startServerProcess(
    join(import.meta.dirname, 'baselines/chat-server.js'),
    env,
    '/health/ready',
  );
  const theirs = openBaselineConversation(baseline);
  try {
    await sendWarmUpMessages(theirs);
    await sendWarmUpMessages(ours);
    return [
      await measureComparison({
        title: 'Time from sending to receiving, one subscriber, p50',
        unit: 'ms',
        product: () => measureMedianReceiptMs(ours),
        baseline: () => measureMedianReceiptMs(theirs),
        target: { atMost: 2.0 },
      }),
    ];
  } finally {
    await Promise.all([ours.close(), theirs.close()]);
    await Promise.all([product.stop(), baseline.stop()]);
  }
}
