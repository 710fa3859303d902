import { appendFileSync } from 'node:fs';

/** Addresses of the real services of a test run; the vitest global set-up puts these into the environment. */
export interface TestServices {
  postgresUrl: string;
  redisUrl: string;
}

/** @throws Error when one is missing: a test of ours never runs against an imitation */
export function testServices(): TestServices {
  return { postgresUrl: required('TEST_POSTGRES_URL'), redisUrl: required('TEST_REDIS_URL') };
}

/** Id of the test run, part of the names of its databases. */
export function runId(): string {
  return process.env['TEST_RUN_ID'] ?? 'alone';
}

/** Number of the worker of the run that this is, from 1. */
export function workerNumber(): number {
  return Number(process.env['VITEST_POOL_ID'] ?? 1);
}

function required(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(`${name} is not set: run the tests through vitest's configuration at the root, which sets it`);
  }
  return value;
}

/** Counts a case that cannot run on this machine in the summary of the run. */
export function noteNotRegistered(name: string): void {
  const file = process.env['NOT_REGISTERED_FILE'];
  if (file) appendFileSync(file, `${name}\n`);
}
