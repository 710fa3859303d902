/**
 * Server that `npm run bench -- events` compares with the event log. For each event, the server commits one row, runs
 * the Redis commands XADD and PUBLISH, and resumes waiting polls of its own process. The server has no outbox, no order
 * across processes and no expiry messages, so that its time is a lower bound.
 */
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import pg from 'pg';
import { measureResidentMemoryAfterGc } from '../events/resident-memory.js';
import { createTestMessageJson } from '../events/event-message.js';

interface WaitingPoll {
  readonly after: number;
  readonly response: (events: readonly string[]) => void;
}

/**
 * Number of event ids for each position of the log. The number is the same as in the event log, so that ids have as
 * many digits as in the event log.
 */
const EVENT_IDS_PER_LOG_POSITION = 100;

const { DATABASE_URL = '', REDIS_URL = '', REDIS_KEY_PREFIX = '', PORT = '0' } = process.env;
const baselineDatabasePool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const baselineRedis = new Redis(REDIS_URL, { enableAutoPipelining: true });
const baselineSubscriber = new Redis(REDIS_URL);
const EVENT_LOG_REDIS_STREAM = `${REDIS_KEY_PREFIX}log`;
const WAKE_REDIS_CHANNEL = `${REDIS_KEY_PREFIX}wake`;

/** JSON of all published events. The event at position n of the event log has the index n - 1. */
const publishedEvents: string[] = [];
let waitingPolls: WaitingPoll[] = [];

const listEventsAfter = (position: number): string[] =>
  publishedEvents
    .slice(position)
    .map(
      (message, index) =>
        `{"id":${(position + index + 1) * EVENT_IDS_PER_LOG_POSITION},"type":"message","message":${message},"flags":[]}`,
    );

await baselineSubscriber.subscribe(WAKE_REDIS_CHANNEL);
baselineSubscriber.on('message', (_channel, message) => {
  publishedEvents.push(message);
  const woken = waitingPolls;
  waitingPolls = [];
  for (const waiter of woken) waiter.response(listEventsAfter(waiter.after));
});

// Most subscribers are idle for minutes while a few are measured.
const baselineServer = Fastify({ logger: false, keepAliveTimeout: 600_000 });

baselineServer.get('/health/ready', () => ({ status: 'ok' }));
baselineServer.get('/held', () => ({ held: waitingPolls.length }));
baselineServer.get('/memory', () => ({ bytes: measureResidentMemoryAfterGc() }));

baselineServer.post('/register', () => ({
  queue_id: 'none',
  last_event_id: publishedEvents.length * EVENT_IDS_PER_LOG_POSITION,
}));

baselineServer.post<{ Body: { content: string } }>('/send', async (request) => {
  const { content } = request.body;
  const inserted = await baselineDatabasePool.query<{ id: number }>({
    name: 'insert',
    text: 'INSERT INTO messages (content) VALUES ($1) RETURNING id::int',
    values: [content],
  });
  const id = inserted.rows[0]?.id ?? 0;
  const message = createTestMessageJson(id, content);
  await Promise.all([
    baselineRedis.xadd(EVENT_LOG_REDIS_STREAM, 'MAXLEN', '~', '10000', '*', 'event', message),
    baselineRedis.publish(WAKE_REDIS_CHANNEL, message),
  ]);
  return { result: 'success', msg: '', id };
});

baselineServer.get<{ Querystring: { last_event_id: string } }>('/events', (request, reply) => {
  const after = Number(request.query.last_event_id) / EVENT_IDS_PER_LOG_POSITION;
  const response = (events: readonly string[]): void => {
    void reply.type('application/json').send(`{"result":"success","msg":"","events":[${events.join(',')}]}`);
  };
  if (publishedEvents.length > after) response(listEventsAfter(after));
  else waitingPolls.push({ after, response });
  return reply;
});

await baselineServer.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));
