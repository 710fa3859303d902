import { join } from 'node:path';
import pg from 'pg';
import { repositoryRoot, type BenchmarkServices } from './benchmark-services.js';
import { createBenchmarkRealm } from './chat-client.js';
import {
  compareWithLimit,
  type ComparisonResult,
  type LimitResult,
  MEASURED_RUN_COUNT,
  measureComparison,
} from './compare-with-baseline.js';
import { startServerProcess } from './server-process.js';

/** Number of scheduled messages that are due in the same second in the benchmark. */
const SCHEDULED_MESSAGE_COUNT = 10_000;
const SENDER_COUNT = 20;
const TOPIC_COUNT = 50;

/** Scheduled messages that are due in each second of the measurement of delays, and the number of these seconds. */
const STEADY_MESSAGES_PER_SECOND = 200;
const STEADY_SECONDS = 3;

/** Maximum delay of a scheduled message, in milliseconds, while {@link STEADY_MESSAGES_PER_SECOND} are due. */
const MAX_DELIVERY_DELAY_MS = 2_000;

/** Time from the readiness of the worker until the messages are due, in milliseconds. */
const TIME_UNTIL_DUE_MS = 1_500;

/**
 * SQL of one prepared transaction of the baseline worker. The statement inserts a message with its text, the rows of
 * the message's recipients, and the outbox rows. The parameter `$1` is the id of a row of `scheduled_messages`, `$2`
 * the text of an event.
 */
const sendScheduledMessageSql = `
  WITH due AS (
    DELETE FROM scheduled_messages WHERE id = $1 RETURNING user_id, to_ids[1] AS channel_id, topic, content, rendered_content
  ), message AS (
    INSERT INTO messages (realm_id, sender_id, recipient_id, client_id, topic_id)
    SELECT u.realm_id, u.id, r.id, (SELECT min(id) FROM clients), t.topic_id
    FROM due JOIN users u ON u.id = due.user_id JOIN recipients r ON r.channel_id = due.channel_id,
      topic_of(r.id, due.topic, due.topic) t
    RETURNING id
  ), text AS (
    INSERT INTO message_texts (message_id, content, rendered_content, rendered_version)
    SELECT message.id, due.content, due.rendered_content, 2 FROM message, due
  ), receivers AS (
    INSERT INTO user_messages (user_id, message_id, flags)
    SELECT s.user_id, message.id, 0 FROM message, due JOIN subscriptions s ON s.channel_id = due.channel_id AND s.is_active
  )
  INSERT INTO queue.outbox (topic, realm, version, payload, audience)
  SELECT 'bench', '', 1, payload::json, '{"users":[1]}'
  FROM (VALUES ($2::text), ('{"name":"scheduled_messages/remove","payload":{"scheduled_message_id":1}}')) AS event(payload)`;

/**
 * Stores the scheduled messages of one benchmark run. The senders of the messages subscribe to the only channel.
 *
 * @param dueAt time at which the messages are due
 * @param perSecond number of messages that are due in each second, from `dueAt` on. Default: all messages are due at
 *   `dueAt`
 */
async function storeScheduledMessages(
  client: pg.Client,
  dueAt: Date,
  count = SCHEDULED_MESSAGE_COUNT,
  perSecond = count,
): Promise<void> {
  await client.query('TRUNCATE scheduled_messages');
  await client.query("DELETE FROM queue.outbox WHERE topic = 'bench'");
  await client.query(
    `INSERT INTO scheduled_messages (user_id, type, to_ids, topic, content, rendered_content, client, read_by_sender,
       deliver_at, attempt_at)
     SELECT u.id, 'stream', ARRAY[c.id], 'topic ' || n % ${TOPIC_COUNT}, 'scheduled message ' || n || ' with **bold** text',
       '<p>scheduled message ' || n || ' with <strong>bold</strong> text</p>', 'Internal', true, due.at, due.at
     FROM generate_series(1, $2::int) n
     CROSS JOIN LATERAL (SELECT $1::timestamptz + make_interval(secs => (n - 1) / $3::int) AS at) due
     JOIN (SELECT id, row_number() OVER (ORDER BY id) - 1 AS place FROM users WHERE full_name LIKE 'Sender %') u
       ON u.place = n % ${SENDER_COUNT}
     CROSS JOIN (SELECT min(id) AS id FROM channels) c`,
    [dueAt, count, perSecond],
  );
  await client.query('ANALYZE scheduled_messages');
}

async function addMessageSenders(client: pg.Client): Promise<void> {
  await client.query("INSERT INTO clients (name) VALUES ('Internal') ON CONFLICT DO NOTHING");
  await client.query(
    `INSERT INTO users (realm_id, delivery_email, delivery_email_key, full_name, role)
     SELECT r.id, 'sender' || n || '@example.com', 'sender' || n || '@example.com', 'Sender ' || n, 400
     FROM realms r, generate_series(1, ${SENDER_COUNT}) n`,
  );
  await client.query(
    `INSERT INTO user_group_members (group_id, user_id)
     SELECT g.id, u.id FROM user_groups g JOIN users u ON u.realm_id = g.realm_id
     WHERE u.full_name LIKE 'Sender %' AND g.name IN ('role:members', 'role:fullmembers')`,
  );
  await client.query(
    `INSERT INTO subscriptions (user_id, channel_id, color)
     SELECT u.id, (SELECT min(id) FROM channels), '#76ce90' FROM users u WHERE u.full_name LIKE 'Sender %'`,
  );
}

/**
 * Sends all scheduled messages with {@link sendScheduledMessageSql}, one after another. Returns the duration in milliseconds.
 */
async function sendByBaselineWorker(client: pg.Client): Promise<number> {
  await storeScheduledMessages(client, new Date());
  const event = JSON.stringify({ name: 'message', payload: { text: 'x'.repeat(900) } });
  const started = performance.now();
  const { rows } = await client.query<{ id: number }>('SELECT id FROM scheduled_messages ORDER BY attempt_at, id');
  for (const { id } of rows)
    await client.query({ name: 'send-one', text: sendScheduledMessageSql, values: [id, event] });
  return performance.now() - started;
}

/**
 * Measures how long the worker of the chat service takes to send all scheduled messages. The measured time starts when
 * the messages are due.
 */
async function sendByChatWorker(client: pg.Client): Promise<number> {
  const dueAt = Date.now() + TIME_UNTIL_DUE_MS;
  await storeScheduledMessages(client, new Date(dueAt));
  for (;;) {
    const { rows } = await client.query<{ failure: string | null }>(
      'SELECT failure FROM scheduled_messages ORDER BY failure NULLS LAST LIMIT 1',
    );
    const [left] = rows;
    if (left === undefined) return Date.now() - dueAt;
    if (left.failure !== null) throw new Error(`A scheduled message failed: ${left.failure}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

/**
 * Measures the greatest delay of scheduled messages, in milliseconds, from the due time of a message until its send is
 * committed. Each of {@link STEADY_SECONDS} seconds has {@link STEADY_MESSAGES_PER_SECOND} messages.
 */
async function measureGreatestDelay(client: pg.Client): Promise<number> {
  const firstDueAt = Date.now() + TIME_UNTIL_DUE_MS;
  const count = STEADY_MESSAGES_PER_SECOND * STEADY_SECONDS;
  await storeScheduledMessages(client, new Date(firstDueAt), count, STEADY_MESSAGES_PER_SECOND);
  const lastDueAt = firstDueAt + (STEADY_SECONDS - 1) * 1_000;
  let greatestMs = 0;
  for (;;) {
    const { rows } = await client.query<{ oldest: number | null; failed: number }>(
      `SELECT (extract(epoch FROM min(deliver_at)) * 1000)::float8 AS oldest, count(failure)::int AS failed
       FROM scheduled_messages`,
    );
    const { oldest = null, failed = 0 } = rows[0] ?? {};
    if (failed > 0) throw new Error(`${failed} scheduled messages failed`);
    greatestMs = Math.max(greatestMs, Date.now() - (oldest ?? lastDueAt));
    if (oldest === null) return greatestMs;
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

/**
 * Compares how long the chat worker and a minimal baseline worker take to send 10,000 scheduled messages that are due
 * in the same second. Also measures the greatest delay of messages of which 200 are due in each second.
 */
export async function measureScheduledMessages(stack: BenchmarkServices): Promise<(ComparisonResult | LimitResult)[]> {
  const env = { ...stack.envOf('chat'), ROLE: 'worker', DATABASE_URL: stack.services.postgresUrl('bench_scheduled') };
  createBenchmarkRealm(env);
  const client = new pg.Client({ connectionString: env.DATABASE_URL });
  await client.connect();
  await addMessageSenders(client);
  const worker = await startServerProcess(join(repositoryRoot, 'apps/chat/dist/bundle.js'), env, '/health/ready');
  try {
    const delaysMs: number[] = [];
    for (let run = 0; run < MEASURED_RUN_COUNT; run += 1) delaysMs.push(await measureGreatestDelay(client));
    const title = `greatest delay of scheduled messages, ${STEADY_MESSAGES_PER_SECOND} due in each of ${STEADY_SECONDS} seconds`;
    return [
      compareWithLimit(title, 'ms', delaysMs, MAX_DELIVERY_DELAY_MS),
      await measureComparison({
        title: `${SCHEDULED_MESSAGE_COUNT} scheduled messages due in the same second, until the last one is sent`,
        unit: 'ms',
        product: () => sendByChatWorker(client),
        baseline: () => sendByBaselineWorker(client),
        target: { atMost: 1.5 },
      }),
    ];
  } finally {
    await client.end();
    await worker.stop();
  }
}
