import { join } from 'node:path';
import pg from 'pg';
import { addRealm, type ChatClient, benchmarkOwner, signInOwner } from './chat-client.js';
import {
  type ComparisonResult,
  measureComparison,
  type LimitResult,
  compareWithLimit,
  MEASURED_RUN_COUNT,
} from './compare-with-baseline.js';
import { fullChannelName, seedLargeRealm } from './large-realm/seed-large-realm.js';
import { markReadById, markUnread, sendByTransaction } from './large-realm/large-realm-baselines.js';
import { computeMedian } from './measure-load.js';
import { type ServerProcess, startServer } from './server-process.js';
import { measureAdditionalPeakMemory } from './process-memory.js';
import { repositoryRoot, type BenchmarkServices } from './benchmark-services.js';
import { StatementLog } from './statement-log.js';

const MEASURED_SENDS = 10;
const MARKED_MESSAGES = 5000;
const MAX_STATEMENTS = 12;
const MAX_EXTRA_MEMORY_MB = 150;
/**
 * Maximum size of a registration response that contains only changes, as a fraction of a response that contains the
 * whole state.
 */
const MAX_DELTA_FRACTION = 0.05;

interface LargeRealm {
  readonly product: ServerProcess;
  readonly client: ChatClient;
  readonly database: pg.Client;
  readonly statements: StatementLog;
}

/**
 * Measures a chat realm of 10,000 users, 1,000 channels and 200,000 subscriptions: a message to all users, a
 * registration that fetches the whole state, and a request that marks 5,000 messages as read.
 */
export async function largeRealmFigures(stack: BenchmarkServices): Promise<(ComparisonResult | LimitResult)[]> {
  const url = stack.services.postgresUrl('bench_chat_large_realm');
  const env = { ...stack.envOf('chat'), DATABASE_URL: url };
  addRealm(env);
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  await seedLargeRealm(database, MARKED_MESSAGES);
  const statements = await StatementLog.start(url);
  const main = join(repositoryRoot, 'apps/chat/dist/bundle.js');
  const product = await startServer(main, { ...env, DATABASE_URL: statements.url }, '/health/ready');
  const client = await signInOwner(product);
  const realm = { product, client, database, statements };
  try {
    return [...(await registerFigures(realm)), await sendFigure(realm), ...(await markReadFigures(realm))];
  } finally {
    await client.close();
    await product.stop();
    await statements.stop();
    await database.end();
  }
}

const fetchAllParameters = { apply_markdown: 'true', include_subscribers: 'true' };
const partialListParameters = {
  ...fetchAllParameters,
  include_subscribers: 'partial',
  client_capabilities: JSON.stringify({ notification_settings_null: true, user_list_incomplete: true }),
};

/**
 * Parameters of a registration of an event queue. With these parameters, the server sends events for changes to all
 * large parts of the registered state.
 */
const continuedRegistrationParameters = {
  ...fetchAllParameters,
  client_capabilities: JSON.stringify({ notification_settings_null: true }),
};

async function registerFigures(realm: LargeRealm): Promise<LimitResult[]> {
  // Measured at the first registration, because the process was idle before it.
  const peak = await measureAdditionalPeakMemory(realm.product.pid, async () => {
    await realm.client.post('/api/v1/register', fetchAllParameters);
  });
  const full = await measureRegistrations(realm, fetchAllParameters);
  const partial = await measureRegistrations(realm, partialListParameters);
  const { response } = await realm.client.post<{ queue_id: string }>(
    '/api/v1/register',
    continuedRegistrationParameters,
  );
  const last_known = JSON.stringify({ queue_id: response.queue_id, last_event_id: -1 });
  const delta = await measureRegistrations(realm, { ...continuedRegistrationParameters, last_known });
  const title = 'POST /register, 10,000 users, 1,000 channels, 200,000 subscriptions';
  return [
    // The minimum of all runs, because other work of the process adds statements.
    compareWithLimit(`${title}: statements`, 'statements', [Math.min(...full.statements)], MAX_STATEMENTS),
    compareWithLimit(`${title}: peak memory above idle`, 'MB', [peak], MAX_EXTRA_MEMORY_MB),
    compareWithLimit(`${title}: time`, 'ms', full.times, null),
    compareWithLimit(`${title}: size`, 'MB', full.megabytes, null),
    compareWithLimit(
      `${title}, with fewer users and subscribers: time`,
      'ms',
      partial.times,
      computeMedian(full.times),
    ),
    compareWithLimit(
      `${title}, with fewer users and subscribers: size`,
      'MB',
      partial.megabytes,
      computeMedian(full.megabytes),
    ),
    compareWithLimit(`${title}, with last_known: time`, 'ms', delta.times, computeMedian(full.times)),
    compareWithLimit(
      `${title}, with last_known: size`,
      'MB',
      delta.megabytes,
      computeMedian(full.megabytes) * MAX_DELTA_FRACTION,
    ),
  ];
}

async function measureRegistrations({ client, statements }: LargeRealm, parameters: Record<string, string>) {
  const measured = { times: [] as number[], statements: [] as number[], megabytes: [] as number[] };
  for (let run = 0; run < MEASURED_RUN_COUNT; run += 1) {
    statements.takeTexts();
    const started = performance.now();
    const { bytes } = await client.post<object>('/api/v1/register', parameters);
    measured.times.push(performance.now() - started);
    measured.statements.push(statements.takeTexts().length);
    measured.megabytes.push(bytes / 1e6);
  }
  return measured;
}

function sendFigure({ client, database }: LargeRealm): Promise<ComparisonResult> {
  const message = { type: 'channel', to: fullChannelName, topic: 'benchmark', content: 'to all subscribers' };
  return measureComparison({
    title: 'POST /messages to a channel of 10,000 subscribers',
    unit: 'messages/s',
    product: () => sendsPerSecond(() => client.post('/api/v1/messages', message)),
    baseline: () => sendsPerSecond(() => sendByTransaction(database, benchmarkOwner.email, fullChannelName)),
    target: { atLeast: 0.6 },
  });
}

async function sendsPerSecond(send: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let n = 0; n < MEASURED_SENDS; n += 1) await send();
  return MEASURED_SENDS / ((performance.now() - started) / 1000);
}

async function markReadFigures({
  client,
  database,
  statements,
}: LargeRealm): Promise<(ComparisonResult | LimitResult)[]> {
  const counts: number[] = [];
  const marking = {
    anchor: 'newest',
    num_before: String(MARKED_MESSAGES),
    num_after: '0',
    narrow: JSON.stringify([{ operator: 'topic', operand: 'unread' }]),
    op: 'add',
    flag: 'read',
  };
  const title = `POST /messages/flags/narrow, ${MARKED_MESSAGES.toLocaleString('en')} messages`;
  const figure = await measureComparison({
    title,
    unit: 'batches/s',
    product: async () => {
      await markUnread(database, benchmarkOwner.email);
      statements.takeTexts();
      const started = performance.now();
      const { response } = await client.post<{ updated_count: number }>('/api/v1/messages/flags/narrow', marking);
      const seconds = (performance.now() - started) / 1000;
      counts.push(statements.takeTexts().filter((text) => text.includes('user_messages')).length);
      // The anchor counts as one of the 5,000 messages; with `newest` it is no message.
      if (response.updated_count < MARKED_MESSAGES - 1)
        throw new Error(`${response.updated_count} messages were marked`);
      return 1 / seconds;
    },
    baseline: () => markReadByStatement(database),
    target: null,
  });
  return [figure, compareWithLimit(`${title}: statements`, 'statements', counts, 1)];
}

async function markReadByStatement(database: pg.Client): Promise<number> {
  const ids = await markUnread(database, benchmarkOwner.email);
  const started = performance.now();
  await markReadById(database, benchmarkOwner.email, ids);
  return 1000 / (performance.now() - started);
}
