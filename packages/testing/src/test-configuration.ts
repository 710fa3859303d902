import { appendFileSync } from 'node:fs';

/**
 * Addresses of the real PostgreSQL and Redis of a test run. The global setup of vitest sets the addresses in the
 * environment.
 */
export interface TestServerAddresses {
  postgresUrl: string;
  redisUrl: string;
}

/**
 * Returns the addresses of the test run's PostgreSQL and Redis.
 *
 * @throws Error when an address is missing, because tests never use substitutes
 */
export function getTestServerAddresses(): TestServerAddresses {
  return {
    postgresUrl: getRequiredEnvironmentVariable('TEST_POSTGRES_URL'),
    redisUrl: getRequiredEnvironmentVariable('TEST_REDIS_URL'),
  };
}

/** Returns the id of the test run, which is part of the names of its databases. */
export function getTestRunId(): string {
  return process.env['TEST_RUN_ID'] ?? 'alone';
}

/** Returns the number of this process among the worker processes of the test run, counted from 1. */
export function getTestWorkerNumber(): number {
  return Number(process.env['VITEST_POOL_ID'] ?? 1);
}

function getRequiredEnvironmentVariable(name: string): string {
  const value = process.env[name];
  if (value === undefined || value === '') {
    throw new Error(`${name} is not set: run the tests through vitest's configuration at the root, which sets it`);
  }
  return value;
}

/** Counts a test that cannot run on this machine. The summary of the test run reports the number. */
export function reportUnregisteredTest(name: string): void {
  const file = process.env['NOT_REGISTERED_FILE'];
  if (file) appendFileSync(file, `${name}\n`);
}

/**
 * Returns true in a long run of the tests (`npm run test:long`, which sets `TEST_FORM=long`). A short run (`npm test`)
 * tests each behavior, but only some cells of a matrix whose cells share one code path.
 */
export function isLongTestRun(): boolean {
  return process.env['TEST_FORM'] === 'long';
}

/**
 * Returns all cases in a long run, and the cases for which `isInShortRun` returns true in a short run. Counts the
 * others for the summary of the run.
 */
export function selectCases<T>(
  cases: readonly T[],
  isInShortRun: (testCase: T, index: number) => boolean,
): readonly T[] {
  if (isLongTestRun()) return cases;
  const selected = cases.filter(isInShortRun);
  reportOmittedCases(cases.length - selected.length);
  return selected;
}

/**
 * Returns a function that registers a test only in a long run. In a short run the function counts the test for the
 * summary of the run.
 *
 * @param it the function `it` of vitest
 */
export function createLongRunIt(
  it: (title: string, run: () => Promise<void>) => void,
): (title: string, run: () => Promise<void>) => void {
  return isLongTestRun() ? it : () => reportOmittedCases(1);
}

/** Counts cases that only a long run contains, for the summary of the run. */
export function reportOmittedCases(count: number): void {
  const file = process.env['OMITTED_CASES_FILE'];
  if (file && count > 0) appendFileSync(file, `${count}\n`);
}
