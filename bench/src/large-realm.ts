import { join } from 'node:path';
import pg from 'pg';
import { createBenchmarkRealm, type ChatClient, benchmarkOwner, signInOwner } from './chat-client.js';
import {
  type ComparisonResult,
  measureComparison,
  type LimitResult,
  compareWithLimit,
  MEASURED_RUN_COUNT,
} from './compare-with-baseline.js';
import { allUsersChannelName, seedLargeRealm } from './large-realm/seed-large-realm.js';
import {
  markMessagesAsReadBySql,
  markSeededMessagesAsUnread,
  insertChannelMessageInTransaction,
} from './large-realm/large-realm-baselines.js';
import { computeMedian } from './measure-load.js';
import { type ServerProcess, startServerProcess } from './server-process.js';
import { measureAdditionalPeakMemory } from './process-memory.js';
import { repositoryRoot, type BenchmarkServices } from './benchmark-services.js';
import { SqlStatementRecordingProxy } from './statement-log.js';

const MEASURED_MESSAGE_SENDS = 10;
const MESSAGES_TO_MARK_AS_READ = 5000;
const MAX_STATEMENTS_PER_REGISTRATION = 12;
const MAX_ADDITIONAL_MEMORY_MB = 150;
/**
 * Maximum size of a registration response that contains only changes, as a fraction of a response that contains the
 * whole state.
 */
const MAX_CHANGES_ONLY_RESPONSE_FRACTION = 0.05;

interface LargeRealmBenchmarkContext {
  readonly product: ServerProcess;
  readonly client: ChatClient;
  readonly database: pg.Client;
  readonly statements: SqlStatementRecordingProxy;
}

/**
 * Measures a chat realm of 10,000 users, 1,000 channels and 200,000 subscriptions. The operations are a message to all
 * users, a registration that fetches the whole state, and marking 5,000 messages as read.
 */
export async function measureLargeRealm(stack: BenchmarkServices): Promise<(ComparisonResult | LimitResult)[]> {
  const url = stack.services.postgresUrl('bench_chat_large_realm');
  const env = { ...stack.envOf('chat'), DATABASE_URL: url };
  createBenchmarkRealm(env);
  const database = new pg.Client({ connectionString: url });
  await database.connect();
  await seedLargeRealm(database, MESSAGES_TO_MARK_AS_READ);
  const statements = await SqlStatementRecordingProxy.startProxy(url);
  const main = join(repositoryRoot, 'apps/chat/dist/bundle.js');
  const product = await startServerProcess(main, { ...env, DATABASE_URL: statements.url }, '/health/ready');
  const client = await signInOwner(product);
  const realm = { product, client, database, statements };
  try {
    return [
      ...(await measureAllQueueRegistrations(realm)),
      await measureChannelMessageSends(realm),
      ...(await measureMarkingMessagesAsRead(realm)),
    ];
  } finally {
    await client.close();
    await product.stop();
    await statements.stopProxy();
    await database.end();
  }
}

const fullRegistrationParameters = { apply_markdown: 'true', include_subscribers: 'true' };
const partialSubscriberRegistrationParameters = {
  ...fullRegistrationParameters,
  include_subscribers: 'partial',
  client_capabilities: JSON.stringify({ notification_settings_null: true, user_list_incomplete: true }),
};

/**
 * Parameters of a registration of an event queue. With these parameters, the server sends events for changes to all
 * large parts of the registered state.
 */
const continuedRegistrationParameters = {
  ...fullRegistrationParameters,
  client_capabilities: JSON.stringify({ notification_settings_null: true }),
};

async function measureAllQueueRegistrations(realm: LargeRealmBenchmarkContext): Promise<LimitResult[]> {
  // Measured at the first registration, because the process was idle before it.
  const peak = await measureAdditionalPeakMemory(realm.product.pid, async () => {
    await realm.client.post('/api/v1/register', fullRegistrationParameters);
  });
  const full = await measureEventQueueRegistrations(realm, fullRegistrationParameters);
  const partial = await measureEventQueueRegistrations(realm, partialSubscriberRegistrationParameters);
  const { response } = await realm.client.post<{ queue_id: string }>(
    '/api/v1/register',
    continuedRegistrationParameters,
  );
  const last_known = JSON.stringify({ queue_id: response.queue_id, last_event_id: -1 });
  const delta = await measureEventQueueRegistrations(realm, { ...continuedRegistrationParameters, last_known });
  const title = 'POST /register, 10,000 users, 1,000 channels, 200,000 subscriptions';
  return [
    // The minimum of all runs, because other work of the process adds statements.
    compareWithLimit(
      `${title}: statements`,
      'statements',
      [Math.min(...full.statements)],
      MAX_STATEMENTS_PER_REGISTRATION,
    ),
    compareWithLimit(`${title}: peak memory above idle`, 'MB', [peak], MAX_ADDITIONAL_MEMORY_MB),
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
      computeMedian(full.megabytes) * MAX_CHANGES_ONLY_RESPONSE_FRACTION,
    ),
  ];
}

async function measureEventQueueRegistrations(
  { client, statements }: LargeRealmBenchmarkContext,
  parameters: Record<string, string>,
) {
  const measured = { times: [] as number[], statements: [] as number[], megabytes: [] as number[] };
  for (let run = 0; run < MEASURED_RUN_COUNT; run += 1) {
    statements.removeAndReturnStatementTexts();
    const started = performance.now();
    const { bytes } = await client.post<object>('/api/v1/register', parameters);
    measured.times.push(performance.now() - started);
    measured.statements.push(statements.removeAndReturnStatementTexts().length);
    measured.megabytes.push(bytes / 1e6);
  }
  return measured;
}

function measureChannelMessageSends({ client, database }: LargeRealmBenchmarkContext): Promise<ComparisonResult> {
  const message = { type: 'channel', to: allUsersChannelName, topic: 'benchmark', content: 'to all subscribers' };
  return measureComparison({
    title: 'POST /messages to a channel of 10,000 subscribers',
    unit: 'messages/s',
    product: () => computeMessageSendsPerSecond(() => client.post('/api/v1/messages', message)),
    baseline: () =>
      computeMessageSendsPerSecond(() =>
        insertChannelMessageInTransaction(database, benchmarkOwner.email, allUsersChannelName),
      ),
    target: { atLeast: 0.6 },
  });
}

async function computeMessageSendsPerSecond(send: () => Promise<unknown>): Promise<number> {
  const started = performance.now();
  for (let n = 0; n < MEASURED_MESSAGE_SENDS; n += 1) await send();
  return MEASURED_MESSAGE_SENDS / ((performance.now() - started) / 1000);
}

async function measureMarkingMessagesAsRead({
  client,
  database,
  statements,
}: LargeRealmBenchmarkContext): Promise<(ComparisonResult | LimitResult)[]> {
  const counts: number[] = [];
  const marking = {
    anchor: 'newest',
    num_before: String(MESSAGES_TO_MARK_AS_READ),
    num_after: '0',
    narrow: JSON.stringify([{ operator: 'topic', operand: 'unread' }]),
    op: 'add',
    flag: 'read',
  };
  const title = `POST /messages/flags/narrow, ${MESSAGES_TO_MARK_AS_READ.toLocaleString('en')} messages`;
  const figure = await measureComparison({
    title,
    unit: 'batches/s',
    product: async () => {
      await markSeededMessagesAsUnread(database, benchmarkOwner.email);
      statements.removeAndReturnStatementTexts();
      const started = performance.now();
      const { response } = await client.post<{ updated_count: number }>('/api/v1/messages/flags/narrow', marking);
      const seconds = (performance.now() - started) / 1000;
      counts.push(statements.removeAndReturnStatementTexts().filter((text) => text.includes('user_messages')).length);
      // The anchor counts as one of the 5,000 messages; with `newest` it is no message.
      if (response.updated_count < MESSAGES_TO_MARK_AS_READ - 1)
        throw new Error(`${response.updated_count} messages were marked`);
      return 1 / seconds;
    },
    baseline: () => measureMarkReadBySqlStatement(database),
    target: null,
  });
  return [figure, compareWithLimit(`${title}: statements`, 'statements', counts, 1)];
}

async function measureMarkReadBySqlStatement(database: pg.Client): Promise<number> {
  const ids = await markSeededMessagesAsUnread(database, benchmarkOwner.email);
  const started = performance.now();
  await markMessagesAsReadBySql(database, benchmarkOwner.email, ids);
  return 1000 / (performance.now() - started);
}
