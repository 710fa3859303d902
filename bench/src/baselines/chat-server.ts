/**
 * Server that `npm run bench -- chat` compares with the chat service. For each message, the server commits one row of
 * the service's message table and runs the Redis commands XADD and PUBLISH. Then it resumes waiting polls of its own
 * process. The server has no outbox, permissions or user rows, so that its time is a lower bound.
 */
import Fastify from 'fastify';
import { Redis } from 'ioredis';
import pg from 'pg';
import { createTestMessage } from '../events/event-message.js';

interface WaitingPoll {
  readonly after: number;
  readonly response: (events: readonly string[]) => void;
}

const { DATABASE_URL = '', REDIS_URL = '', PORT = '0' } = process.env;
const baselineDatabasePool = new pg.Pool({ connectionString: DATABASE_URL, max: 10 });
const baselineRedis = new Redis(REDIS_URL, { enableAutoPipelining: true });
const baselineSubscriber = new Redis(REDIS_URL);
const EVENT_LOG_REDIS_STREAM = 'bench:{1}:log';
const WAKE_REDIS_CHANNEL = 'bench:{1}:wake';

/** Ids of the sender, the recipient and the client of every message. The chat service has created these rows. */
const { rows } = await baselineDatabasePool.query<{ sender: number; recipient: number; client: number }>(
  `SELECT (SELECT min(id) FROM users) AS sender, (SELECT min(id) FROM recipients) AS recipient,
          (SELECT min(id) FROM clients) AS client`,
);
const messagePartyIds = [rows[0]?.sender, rows[0]?.recipient, rows[0]?.client];

/** JSON of all published events. The event at position n of the event log has the index n - 1. */
const publishedEvents: string[] = [];
let waitingPolls: WaitingPoll[] = [];

const listEventsAfter = (position: number): string[] =>
  publishedEvents
    .slice(position)
    .map((message, index) => `{"id":${position + index + 1},"type":"message","message":${message},"flags":[]}`);

await baselineSubscriber.subscribe(WAKE_REDIS_CHANNEL);
baselineSubscriber.on('message', (_channel, message) => {
  publishedEvents.push(message);
  const woken = waitingPolls;
  waitingPolls = [];
  for (const waiter of woken) {
    waiter.response(listEventsAfter(waiter.after));
  }
});

const baselineServer = Fastify({ logger: false });

baselineServer.get('/health/ready', () => ({ status: 'ok' }));

baselineServer.post<{ Body: { content: string } }>('/send', async (request) => {
  const inserted = await baselineDatabasePool.query<{ id: number }>({
    name: 'insert',
    text: `WITH message AS (
             INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic_id)
             SELECT u.realm_id, u.id, r.id, c.id, t.topic_id
             FROM users u, recipients r, clients c, topic_of(r.id, 'benchmark', 'benchmark') t WHERE u.id = $3 AND r.id = $4 AND c.id = $5 RETURNING id)
           INSERT INTO message_texts (message_id, content, rendered_content, rendered_version)
           SELECT id, $1, $2, 1 FROM message RETURNING message_id::int AS id`,
    values: [request.body.content, `<p>${request.body.content}</p>`, ...messagePartyIds],
  });
  const id = inserted.rows[0]?.id ?? 0;
  const message = JSON.stringify(createTestMessage(id, request.body.content));
  await Promise.all([
    baselineRedis.xadd(EVENT_LOG_REDIS_STREAM, 'MAXLEN', '~', '10000', '*', 'event', message),
    baselineRedis.publish(WAKE_REDIS_CHANNEL, message),
  ]);
  return { result: 'success', msg: '', id };
});

baselineServer.get<{ Querystring: { last: string } }>('/events', (request, reply) => {
  const after = Number(request.query.last);
  const response = (events: readonly string[]): void => {
    void reply.type('application/json').send(`{"result":"success","msg":"","events":[${events.join(',')}]}`);
  };
  if (publishedEvents.length > after) {
    response(listEventsAfter(after));
  } else {
    waitingPolls.push({ after, response });
  }
  return reply;
});

await baselineServer.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));
