/**
 * The fastest plain form of send to receive: one committed row, XADD, PUBLISH, in-process waiters.
 * It keeps no promise of the product (no outbox, no exact registration, no permissions, no user rows);
 * it is the floor that any server with the same parts stands on.
 */
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import pg from 'pg';

interface Waiter {
  readonly after: number;
  readonly answer: (events: readonly string[]) => void;
}

const { DATABASE_URL = '', REDIS_URL = '', PORT = '0' } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const redis = new Redis(REDIS_URL, { enableAutoPipelining: true });
const subscriber = new Redis(REDIS_URL);
const STREAM = 'bench:{1}:log';
const CHANNEL = 'bench:{1}:wake';

await pool.query('CREATE TABLE IF NOT EXISTS bench_message (id bigserial PRIMARY KEY, content text NOT NULL)');

/** Everything published, by position: position n stands at index n - 1. */
const tail: string[] = [];
let waiters: Waiter[] = [];

const eventsAfter = (position: number): string[] =>
  tail
    .slice(position)
    .map((message, index) => `{"id":${position + index + 1},"type":"message","message":${message},"flags":[]}`);

await subscriber.subscribe(CHANNEL);
subscriber.on('message', (_channel, message) => {
  tail.push(message);
  const woken = waiters;
  waiters = [];
  for (const waiter of woken) {
    waiter.answer(eventsAfter(waiter.after));
  }
});

const server = Fastify({ logger: false });

server.get('/health/ready', () => ({ status: 'ok' }));

server.post<{ Body: { content: string } }>('/send', async (request) => {
  const inserted = await pool.query<{ id: number }>({
    name: 'insert',
    text: 'INSERT INTO bench_message (content) VALUES ($1) RETURNING id::int',
    values: [request.body.content],
  });
  const id = inserted.rows[0]?.id ?? 0;
  const message = JSON.stringify(messageOf(id, request.body.content));
  await Promise.all([
    redis.xadd(STREAM, 'MAXLEN', '~', '10000', '*', 'event', message),
    redis.publish(CHANNEL, message),
  ]);
  return { result: 'success', msg: '', id };
});

server.get<{ Querystring: { last: string } }>('/events', (request, reply) => {
  const after = Number(request.query.last);
  const answer = (events: readonly string[]): void => {
    void reply.type('application/json').send(`{"result":"success","msg":"","events":[${events.join(',')}]}`);
  };
  if (tail.length > after) {
    answer(eventsAfter(after));
  } else {
    waiters.push({ after, answer });
  }
  return reply;
});

/** A message with the keys that a chat client gets, so that both sides write the same number of bytes. */
function messageOf(id: number, content: string): Record<string, unknown> {
  return {
    id,
    sender_id: 10,
    content: `<p>${content}</p>`,
    recipient_id: 20,
    timestamp: Math.floor(Date.now() / 1000),
    client: 'bench',
    subject: 'benchmark',
    topic_links: [],
    is_me_message: false,
    reactions: [],
    submessages: [],
    sender_full_name: 'King Hamlet',
    sender_email: 'user10@localhost',
    sender_realm_str: 'zulip',
    display_recipient: 'Verona',
    type: 'stream',
    stream_id: 1,
    avatar_url: null,
    content_type: 'text/html',
  };
}

await server.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));
