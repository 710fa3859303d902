/**
 * A small service that uses the public API of the packages in the same way as the apps. A send commits a row and its
 * event, and a poll returns events from the event log. The service uses Fastify without Nest and has no users, so that
 * the benchmark measures only the packages.
 */
import Fastify from 'fastify';
import { createDatabase, type Database, framedTransactionTransport } from '@switchboard/database';
import {
  applyQueueMigrations,
  BadEventQueueError,
  type ClientEvent,
  EventLog,
  type LogEntry,
  Outbox,
  type EventQueueRecord,
  silentLogger,
} from '@switchboard/queue';
import { measureResidentMemoryAfterGc } from './resident-memory.js';
import { createTestMessage } from './event-message.js';

const {
  DATABASE_URL = '',
  REDIS_URL = '',
  REDIS_KEY_PREFIX = '',
  PORT = '0',
  REALM = 'bench',
  DRAIN_AFTER_COMMIT = 'true',
  STORE = 'redis',
} = process.env;

const benchmarkDatabase: Database = createDatabase({
  url: DATABASE_URL,
  max: 10,
  applicationName: 'bench-events',
  logger: console,
  slowQueryMs: 60_000,
  transport: framedTransactionTransport,
  beforeCommit: (tx, ending) => benchmarkOutbox.flush(tx, ending),
  afterCommit: (tx) => benchmarkOutbox.dispatchAfterCommit(tx),
});
const benchmarkOutbox = new Outbox({
  pool: benchmarkDatabase.pool,
  redis: REDIS_URL,
  prefix: REDIS_KEY_PREFIX,
  drainAfterCommit: DRAIN_AFTER_COMMIT === 'true',
});
const eventLog = new EventLog({
  outbox: benchmarkOutbox,
  pool: benchmarkDatabase.pool,
  ...(STORE === 'tables' ? { store: 'tables' } : { redis: REDIS_URL }),
  prefix: REDIS_KEY_PREFIX,
  logger: silentLogger,
});

interface SendMessageRequestBody {
  readonly content: string;
  /**
   * Id of the only user who receives the event of the message; undefined for all users. If `count` is above 1, the
   * second event is for the next user id, and so on.
   */
  readonly to?: number;
  /** Number of events that the service creates for one message. Default 1. */
  readonly count?: number;
}

interface PollEventsQueryParameters {
  readonly user: string;
  readonly queue_id: string;
  readonly last_event_id: string;
}

/**
 * Cache of rendered events by log entry. The cached JSON omits the opening brace and the event id, because the id
 * differs between recipients.
 */
const renderedEventByLogEntry = new WeakMap<LogEntry, [{ json: string }]>();

function renderEventForRecipient(entry: LogEntry, _queue: EventQueueRecord): readonly { json: string }[] {
  let events = renderedEventByLogEntry.get(entry);
  if (!events) {
    events = [{ json: entry.eventJson.slice(1) }];
    renderedEventByLogEntry.set(entry, events);
  }
  return events;
}

function createEventsResponseJson(events: readonly ClientEvent[]): string {
  const texts = events.map(({ id, json, type }) =>
    typeof json === 'string' ? `{"id":${id},${json}` : JSON.stringify({ type, id }),
  );
  return `{"result":"success","msg":"","events":[${texts.join(',')}]}`;
}

// Most subscribers are idle for minutes while a few are measured.
const benchmarkServer = Fastify({ logger: false, keepAliveTimeout: 600_000 });

benchmarkServer.get('/health/ready', () => ({ status: 'ok' }));
benchmarkServer.get('/held', () => ({ held: eventLog.metrics().waiters }));
benchmarkServer.get('/memory', () => ({ bytes: measureResidentMemoryAfterGc() }));

benchmarkServer.post<{ Body: { user: number } }>('/register', async (request) => {
  const queue = await eventLog.register(
    { realm: REALM, owner: String(request.body.user), idleTimeoutSeconds: 600, filter: {}, capabilities: {} },
    async () => null,
  );
  return { queue_id: queue.queueId, last_event_id: queue.lastEventId };
});

benchmarkServer.post<{ Body: SendMessageRequestBody }>('/send', async (request) => {
  const { content, to, count = 1 } = request.body;
  const id = await benchmarkDatabase.inTransaction(async (tx) => {
    const inserted = await tx.query<{ id: number }>('INSERT INTO messages (content) VALUES ($1) RETURNING id::int', [
      content,
    ]);
    const id = inserted.rows[0]?.id ?? 0;
    const event = { type: 'message', message: createTestMessage(id, content), flags: [] };
    for (let made = 0; made < count; made += 1) {
      const audience = to === undefined ? { all: true as const } : { users: [to + made] };
      eventLog.write(tx, { realm: REALM, audience, event });
    }
    return id;
  });
  return { result: 'success', msg: '', id };
});

benchmarkServer.get<{ Querystring: PollEventsQueryParameters }>('/events', (request, reply) => {
  const { user, queue_id: queueId, last_event_id: lastEventId } = request.query;
  eventLog.pollWithCallbacks(
    { realm: REALM, owner: user, queueId, lastEventId: Number(lastEventId), block: true, client: reply.raw },
    renderEventForRecipient,
    {
      onEvents: (events) => void reply.type('application/json').send(createEventsResponseJson(events)),
      onFailed: (error) => void reply.send(error),
    },
  );
});

benchmarkServer.setErrorHandler((error, _request, reply) =>
  reply.code(error instanceof BadEventQueueError ? 400 : 500).send({ result: 'error', msg: String(error) }),
);

await applyQueueMigrations(benchmarkDatabase.pool);
await eventLog.waitUntilStoreResponds();
await benchmarkOutbox.start('all');
eventLog.start();
await benchmarkServer.listen({ host: '127.0.0.1', port: Number(PORT) });
process.once('SIGTERM', () => process.exit(0));
