import { join } from 'node:path';
import { randomBytes } from 'node:crypto';
import { startLocalServices } from './packages/local-services/src/index.js';
import { dropTestDatabases } from './packages/testing/src/index.js';

/**
 * Gives every test a real PostgreSQL and a real Redis: those named by TEST_POSTGRES_URL and TEST_REDIS_URL,
 * else embedded ones that start empty and are stopped after the run. A running `npm start` is not touched.
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
    ...(givenPostgres === '' ? {} : { postgres: false }),
    ...(givenRedis === '' ? {} : { redis: false }),
    onExit: (service, tail) => console.error(`${service} ended during the tests:\n${tail}`),
  });
  // Set before the workers start, which inherit them.
  if (givenPostgres === '') process.env['TEST_POSTGRES_URL'] = services.postgresUrl('postgres');
  if (givenRedis === '') process.env['TEST_REDIS_URL'] = services.redisUrl;
  return async () => {
    if (givenPostgres !== '') await dropTestDatabases();
    await services.stop();
  };
}
