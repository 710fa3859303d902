import { appendFileSync } from 'node:fs';

/**
 * Addresses of the real PostgreSQL and Redis of a test run. The global setup of vitest sets them in the environment.
 */
export interface TestServerAddresses {
  postgresUrl: string;
  redisUrl: string;
}

/**
 * Returns the addresses of the test run's PostgreSQL and Redis.
 *
 * @throws Error when one is missing, because tests never use substitutes
 */
export function getTestServerAddresses(): TestServerAddresses {
  return { postgresUrl: getRequiredVariable('TEST_POSTGRES_URL'), redisUrl: getRequiredVariable('TEST_REDIS_URL') };
}

/** Id of the test run, part of the names of its databases. */
export function getTestRunId(): string {
  return process.env['TEST_RUN_ID'] ?? 'alone';
}

/** Returns the number, from 1, of this process among the workers of the test run. */
export function getTestWorkerNumber(): number {
  return Number(process.env['VITEST_POOL_ID'] ?? 1);
}

function getRequiredVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(`${name} is not set: run the tests through vitest's configuration at the root, which sets it`);
  }
  return value;
}

/** Counts a test that cannot run on this machine, for the summary of the test run. */
export function reportUnregisteredTest(name: string): void {
  const file = process.env['NOT_REGISTERED_FILE'];
  if (file) appendFileSync(file, `${name}\n`);
}
