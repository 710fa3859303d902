import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { startLocalServices } from './packages/local-services/src/index.js';
import { dropTestDatabases } from './packages/testing/src/index.js';

/**
 * Provides PostgreSQL and Redis to the tests: those in TEST_POSTGRES_URL and TEST_REDIS_URL, or embedded ones that
 * start without data and stop after the run. A running `npm start` is not affected.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  process.env['TEST_RUN_ID'] = randomBytes(4).toString('hex');
  const givenPostgres = process.env['TEST_POSTGRES_URL'] ?? '';
  const givenRedis = process.env['TEST_REDIS_URL'] ?? '';
  if (givenPostgres !== '' && givenRedis !== '') return dropTestDatabases;

  const services = await startLocalServices({
    dataFolder: join(import.meta.dirname, '.data', 'test'),
    durable: false,
    log: (line) => console.log(line),
    // Fault suites run a dozen processes of the services at the same time, each with a pool of connections.
    postgres: givenPostgres === '' ? { maxConnections: 400 } : false,
    ...(givenRedis === '' ? {} : { redis: false }),
    onExit: (service, tail) => console.error(`${service} ended during the tests:\n${tail}`),
  });
  // Set before the workers start, because they inherit the environment.
  if (givenPostgres === '') process.env['TEST_POSTGRES_URL'] = services.postgresUrl('postgres');
  if (givenRedis === '') process.env['TEST_REDIS_URL'] = services.redisUrl;
  return async () => {
    if (givenPostgres !== '') await dropTestDatabases();
    await services.stop();
  };
}
