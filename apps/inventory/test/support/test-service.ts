import { randomUUID } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createDatabase } from '@switchboard/database';
import { createLogger, ProcessHealth, Metrics, type OpenApiDocument, createService } from '@switchboard/platform';
import {
  hashFoldersContent,
  InProcessApiClient,
  type TestDatabase,
  openTestDatabase,
  openTestRedis,
} from '@switchboard/testing';
import type { FastifyInstance } from 'fastify';
import { readConfig } from '../../src/config.js';
import { createOpenApiDocument } from '../../src/http/openapi-document.js';
import { type InventoryServices, openInventoryServices } from '../../src/open-inventory.js';
import { migrateInventoryDatabase, migrationsFolder } from '../../src/migrate.js';
import { modelRegistry } from '../../src/models/index.js';
import { createInventoryServiceOptions } from '../../src/service.js';
import { inventoryFeatureModules } from '../../src/slices.js';
import { createSuperuser } from '../../src/users/create-superuser.js';
import { type InventoryDatabase, openPrisma } from '../../src/prisma-client.js';
import { createTokenColumnValues, generateTokenToStore } from '../../src/users/create-token.js';

/** The OpenAPI document of the service, in the form that clients receive. */
export const openapi: OpenApiDocument = JSON.parse(
  JSON.stringify(createOpenApiDocument({ registry: modelRegistry, slices: inventoryFeatureModules })),
);

/** A complete inventory service with a separate database for the test. */
export interface TestInventory {
  readonly inventory: InventoryServices;
  readonly fastify: FastifyInstance;
  readonly metrics: Metrics;
  /** HTTP client with the superuser's API token. The client checks every response against the OpenAPI document. */
  readonly api: InProcessApiClient;
  /** HTTP client that sends requests without an API token. */
  readonly stranger: InProcessApiClient;
  /** Creates an API token for a user and returns the token. */
  tokenOf(userId: number): Promise<string>;
  /** Returns an HTTP client that uses a new API token of a user. */
  clientOf(userId: number): Promise<InProcessApiClient>;
  /** Runs `use` with an HTTP client of a new user who has no permissions. Deletes the user afterwards. */
  asPlainUser(use: (plain: InProcessApiClient) => Promise<void>): Promise<void>;
  /** Id of the user account of the superuser. */
  readonly adminId: number;
  readonly adminToken: string;
  close(): Promise<void>;
}

/**
 * Hash of the folder of migrations. Each test worker computes the hash only once, because there are many migrations.
 */
let migrations: Promise<string> | undefined;

/**
 * Prepares the template database, which tests copy. The template database contains the superuser, so that
 * tests do not spend time on hashing a password.
 */
async function prepare(url: string): Promise<void> {
  await migrateInventoryDatabase(url, () => undefined);
  const logger = createLogger({ level: 'silent', name: 'inventory' });
  const options = { url, max: 1, applicationName: 'inventory-tests', logger, slowQueryMs: 60_000 };
  const database: InventoryDatabase = createDatabase({ ...options, prisma: openPrisma });
  await database.inTransaction((tx) => createSuperuser(tx, 'root', 'Correct horse 1 battery'));
  // Removes rows that a migration inserted, because tests count the rows that they create.
  await database.query('TRUNCATE dcim_moduletypeprofile RESTART IDENTITY CASCADE');
  await database.close();
}

/**
 * Returns a test database of the service whose only user is a superuser. `unused` is passed to
 * {@link openTestDatabase}.
 */
export async function inventoryDatabase(unused = false): Promise<TestDatabase> {
  const hash = `${await (migrations ??= hashFoldersContent(migrationsFolder))} with a superuser`;
  return openTestDatabase({ name: 'inventory', hash, prepare, unused });
}

/**
 * Starts the service in this process, with a database whose only user is a superuser. If `log` is given, log lines are
 * appended to it.
 */
export async function startInventory(env: Record<string, string> = {}, log?: string[]): Promise<TestInventory> {
  const database = await inventoryDatabase();
  const redis = openTestRedis();
  const media = join(tmpdir(), `inventory-media-${randomUUID()}`);
  const config = readConfig({
    NODE_ENV: 'test',
    LOG_LEVEL: 'silent',
    // The limit is high, so that a template does not fail on a busy machine.
    TEMPLATE_TIMEOUT_MS: '10000',
    DATABASE_URL: database.url,
    REDIS_URL: redis.url,
    REDIS_KEY_PREFIX: redis.prefix.replace(/:$/, ''),
    MEDIA_ROOT: media,
    RESPONSE_FOLDER: join(media, 'responses'),
    ...env,
  });
  const destination = log && { write: (line: string) => void log.push(line) };
  const level = destination ? 'info' : config.LOG_LEVEL;
  const logger = createLogger({ level, name: 'inventory', ...(destination && { destination }) });
  const inventory = await openInventoryServices(config, logger);
  const metrics = new Metrics();
  const app = await createService(createInventoryServiceOptions(inventory, { metrics, health: new ProcessHealth() }));
  const fastify: FastifyInstance = app.getHttpAdapter().getInstance();
  const stranger = new InProcessApiClient(fastify, { openapi });
  const clientWith = (token: string): InProcessApiClient => stranger.withHeaders({ authorization: `Bearer ${token}` });
  const issue = async (userId: number): Promise<string> => {
    const value = generateTokenToStore();
    const token = createTokenColumnValues(inventory.keys.pepper, { userId, value, description: 'test' });
    // Inserted by SQL, because Prisma takes 0.3 s to load in each process, and most spec files use it for nothing else.
    await inventory.database.query(
      `INSERT INTO users_token (version, key, hint, digest, pepper_id, user_id, description)
        VALUES ($1, $2, $3, $4, $5, $6, $7)`,
      [token.version, token.key, token.hint, token.digest, token.pepperId, userId, token.description],
    );
    return value;
  };
  const { rows } = await inventory.database.query<{ id: number }>('SELECT id FROM users_user');
  const adminId = rows[0]?.id ?? 0;
  const adminToken = await issue(adminId);
  return {
    inventory,
    fastify,
    metrics,
    api: clientWith(adminToken),
    stranger,
    tokenOf: issue,
    clientOf: async (userId) => clientWith(await issue(userId)),
    asPlainUser: async (use) => {
      // Inserted by SQL, because hashing a password through the API takes too long.
      const made = await inventory.database.query<{ id: number }>(
        "INSERT INTO users_user (username, password) VALUES ('plain', '') RETURNING id",
      );
      const id = made.rows[0]?.id ?? 0;
      await use(clientWith(await issue(id)));
      await inventory.database.query(
        'WITH t AS (DELETE FROM users_token WHERE user_id = $1) DELETE FROM users_user WHERE id = $1',
        [id],
      );
    },
    adminId,
    adminToken,
    close: async () => {
      await app.close();
      await inventory.closeRedis();
      await inventory.closeDatabase();
      await Promise.all([database.release(), redis.cleanup(), rm(media, { recursive: true, force: true })]);
    },
  };
}
