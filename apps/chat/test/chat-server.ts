import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { NestFastifyApplication } from '@nestjs/platform-fastify';
import { type Clock, createLogger, type Metrics, type OpenApiDocument, Shutdown } from '@switchboard/platform';
import {
  hashFoldersContent,
  InProcessApiClient,
  type TestDatabase,
  openTestDatabase,
  openTestRedis,
} from '@switchboard/testing';
import { readChatServiceConfig } from '../src/app/environment.js';
import { createChatOpenApiDocument } from '../src/app/openapi-document.js';
import { migrateChatDatabase } from '../src/migrate.js';
import { createDemoRealm } from '../src/app/demo/index.js';
import { openBackgroundJobs } from '../src/app/background-jobs.js';
import { type ChatRuntime, closeChatProcessRuntime, createChatProcessRuntime } from '../src/app/runtime.js';
import { createChatService, createMetrics, startBackgroundWorkWithoutJobs } from '../src/app/service.js';

/** OpenAPI document against which every response in the test suite is checked. */
export const contract: OpenApiDocument = createChatOpenApiDocument();

/** One chat process. The chat process runs inside the test process with separate database connections. */
export interface ChatProcess {
  readonly app: NestFastifyApplication;
  readonly runtime: ChatRuntime;
  readonly metrics: Metrics;
  readonly client: InProcessApiClient;
  stop(): Promise<void>;
}

/**
 * A test database with the demo realm, a Redis key prefix, and any number of chat processes that use the database and
 * the prefix.
 */
export interface ChatCluster {
  readonly database: TestDatabase;
  /** Log lines of all chat processes of the test cluster. */
  readonly log: string[];
  /** @param clock Clock of the process; by default that of the machine. */
  start(env?: Record<string, string>, clock?: Clock): Promise<ChatProcess>;
  stop(): Promise<void>;
}

/**
 * Concatenated texts of the service's source files. The texts are read once per test worker, because there are many
 * files.
 */
let sources: Promise<string> | undefined;

/** Creates a database and a Redis key prefix for chat processes. With `withDemo: false` the database has no realm. */
export async function chatCluster(options: { withDemo?: boolean } = {}): Promise<ChatCluster> {
  const withDemo = options.withDemo ?? true;
  const database = await openTestDatabase({
    name: withDemo ? 'chat' : 'chat_bare',
    hash: await (sources ??= hashOf(
      '../src',
      '../../../prisma/chat/migrations',
      '../../../packages/queue/src',
      '../../../packages/queue/sql',
      '../../../packages/webhooks/sql',
    )),
    prepare: (url) => prepare(url, withDemo),
  });
  const redis = openTestRedis();
  const files = await mkdtemp(join(tmpdir(), 'chat-files-'));
  const mails = await mkdtemp(join(tmpdir(), 'chat-mails-'));
  const log: string[] = [];
  const processes: ChatProcess[] = [];
  return {
    database,
    log,
    async start(env = {}, clock?: Clock) {
      const own = {
        DATABASE_URL: database.url,
        REDIS_URL: redis.url,
        REDIS_KEY_PREFIX: redis.prefix,
        UPLOADS_DIR: files,
        MAIL_FOLDER: mails,
      };
      const process = await startProcess(log, { ...own, ...env }, clock);
      processes.push(process);
      return process;
    },
    async stop() {
      await Promise.all(processes.map((process) => process.stop()));
      await redis.cleanup();
      await rm(files, { recursive: true, force: true });
      await rm(mails, { recursive: true, force: true });
      await database.release();
    },
  };
}

async function startProcess(log: string[], env: Record<string, string>, clock?: Clock): Promise<ChatProcess> {
  const config = readChatServiceConfig({ NODE_ENV: 'test', ...env });
  const logger = createLogger({
    level: 'debug',
    name: 'chat',
    destination: { write: (line: string) => void log.push(line) },
  });
  const runtime = createChatProcessRuntime(config, logger, clock);
  const shutdown = new Shutdown({ timeoutMs: 5000, logger });
  const jobs = openBackgroundJobs(runtime);
  await startBackgroundWorkWithoutJobs(runtime, shutdown);
  const metrics = createMetrics(runtime, jobs);
  const app = await createChatService(runtime, { metrics, jobs, shutdown });
  shutdown.addStep('intake', 'server', () => app.close());
  return {
    app,
    runtime,
    metrics,
    client: new InProcessApiClient(app.getHttpAdapter().getInstance(), { openapi: contract }),
    stop: async () => void (await shutdown.run('end of the test')),
  };
}

async function prepare(url: string, withDemo: boolean): Promise<void> {
  await migrateChatDatabase(url, () => {});
  if (!withDemo) return;
  const config = readChatServiceConfig({ NODE_ENV: 'test', DATABASE_URL: url });
  const runtime = createChatProcessRuntime(config, createLogger({ level: 'silent', name: 'chat' }));
  const { database, apiKeys, renderer } = runtime;
  await createDemoRealm({ database, apiKeys, renderer, emailDomain: 'example.com', botDomain: 'example.com' });
  await closeChatProcessRuntime(runtime);
}

async function hashOf(...folders: string[]): Promise<string> {
  const hashes = await Promise.all(
    folders.map((folder) => hashFoldersContent(fileURLToPath(new URL(folder, import.meta.url)))),
  );
  return hashes.join();
}

/** Returns the HTTP Authorization header with an email address and API key. */
export function createBasicAuthorization(email: string, apiKey: string): { authorization: string } {
  return { authorization: `Basic ${Buffer.from(`${email}:${apiKey}`).toString('base64')}` };
}

/** A user of the demo realm with email address and API key. */
export interface DemoUser {
  readonly id: number;
  readonly email: string;
  readonly apiKey: string;
  readonly client: InProcessApiClient;
}

/** Fetches email address and API key of a demo user, given the part of the address before the @. */
export async function signIn(process: ChatProcess, name: string): Promise<DemoUser> {
  const { body } = await process.client.post<{ api_key: string; email: string; user_id: number }>(
    '/api/v1/dev_fetch_api_key',
    { form: { username: `${name}@example.com` } },
  );
  const client = process.client.withHeaders(createBasicAuthorization(body.email, body.api_key));
  return { id: body.user_id, email: body.email, apiKey: body.api_key, client };
}
