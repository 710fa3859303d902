// @ts-check
import { spawn } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync } from 'node:fs';
import { relative } from 'node:path';
import { joinDataPath, repositoryRoot } from './data-folder-paths.mjs';
import { setUpRepository } from './set-up-repository.mjs';
import { longSpecFilesByFolder } from './long-spec-files.mjs';
import { ExplainedCommandError } from './progress-step.mjs';

/** @typedef {{ status: string, title: string, ancestorTitles: string[], failureMessages: string[] }} TestResult */
/** @typedef {{ status: string, name: string, assertionResults: TestResult[] }} FileResult */
/** @typedef {{ numPassedTests: number, numFailedTests: number, numPendingTests: number, numTodoTests: number, testResults: FileResult[] }} Report */

const getTestReportPath = () => joinDataPath('reports', 'vitest.json');
const getUnregisteredTestsFilePath = () => joinDataPath('reports', 'not-registered.txt');
const getOmittedTestCasesPath = () => joinDataPath('reports', 'omitted-cases.txt');

/**
 * Runs a Node script whose output goes to the output of this process. Forwards signals to the script.
 *
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} [env]
 * @returns {Promise<number>} exit code
 */
function runNodeScript(args, env = {}) {
  const child = spawn(process.execPath, args, {
    cwd: repositoryRoot,
    stdio: 'inherit',
    env: { ...process.env, ...env },
  });
  const pass = (/** @type {NodeJS.Signals} */ signal) => child.kill(signal);
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, pass);
  return new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => {
      for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.off(signal, pass);
      resolve(code ?? 1);
    });
  });
}

/**
 * Returns arguments of vitest for a run of all tests. On a CI machine (`CI` is set) a failed test is repeated once.
 * Hooks of a file or `describe` are not repeated, so the second attempt starts with the state after the first attempt.
 * @param {NodeJS.ProcessEnv} env
 */
export function createVitestRetryArguments({ CI = '' }) {
  return CI === '' || CI === 'false' ? [] : ['--retry=1'];
}

/**
 * Returns a line for each test that failed once and passed when it was repeated. The line contains the title of the
 * test and the first line of its error.
 *
 * @param {Report} report
 */
function listRepeatedTestLines({ testResults }) {
  return testResults.flatMap(({ name, assertionResults }) =>
    assertionResults
      .filter(({ status, failureMessages }) => status === 'passed' && failureMessages.length > 0)
      .map(({ title, ancestorTitles, failureMessages }) => {
        const [failure = ''] = (failureMessages[0] ?? '').split('\n');
        return `  ${[relative(repositoryRoot, name), ...ancestorTitles, title].join(' > ')}: ${failure}`;
      }),
  );
}

/**
 * Returns the last lines of a test run's output. A file that could not be loaded counts as one failed test.
 *
 * @param {Report} report
 * @param {string[]} notRegistered names of cases that need root or programs which this machine lacks
 * @param {number} omittedCount number of cases that only the long form contains
 * @param {readonly string[]} omittedFiles paths of spec files that only the long form contains
 * @returns {{ lines: string[], failed: number, passed: number }}
 */
export function createTestRunClosingLines(report, notRegistered, omittedCount = 0, omittedFiles = []) {
  const unloaded = report.testResults.filter(
    (file) => file.status === 'failed' && !file.assertionResults.some((result) => result.status === 'failed'),
  );
  const failed = report.numFailedTests + unloaded.length;
  const lines = unloaded.map((file) => `Could not be loaded: ${file.name}`);
  const skipped = report.numPendingTests + report.numTodoTests;
  if (skipped > 0) lines.push(`${skipped} skipped`);
  if (notRegistered.length > 0)
    lines.push(`${notRegistered.length} cases cannot run on this machine and were not registered`);
  if (omittedCount > 0) lines.push(`${omittedCount} further cases run only in npm run test:long`);
  if (omittedFiles.length > 0) lines.push(`Files that run only in npm run test:long: ${omittedFiles.join(', ')}`);
  const repeated = listRepeatedTestLines(report);
  if (repeated.length > 0) lines.push('Passed only at the second attempt; each is a defect to fix:', ...repeated);
  lines.push(`${report.numPassedTests} passed, ${failed} failed`);
  return { lines, failed, passed: report.numPassedTests };
}

/** Returns the paths of the spec files that a short run leaves out. */
function listLongSpecFiles() {
  return Object.entries(longSpecFilesByFolder).flatMap(([folder, files]) => files.map((file) => `${folder}/${file}`));
}

function readLinesIfFileExists(/** @type {string} */ file) {
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').filter(Boolean) : [];
}

/**
 * `npm test`: runs the set-up, `npm run check`, and vitest once over all projects in the short form. Extra arguments are
 * passed to vitest.
 *
 * @param {string[]} args
 */
export async function runTestCommand(args) {
  await setUpRepository();
  const checkCode = await runNodeScript(['tools/check.mjs']);
  await runVitestOverAllProjects('short', args, checkCode);
}

/**
 * `npm run test:long`: runs the set-up, and vitest once over all projects in the long form, which contains every cell of
 * the matrices. Extra arguments are passed to vitest.
 *
 * @param {string[]} args
 */
export async function runLongTests(args) {
  await setUpRepository();
  await runVitestOverAllProjects('long', args, 0);
}

/**
 * Runs vitest over all projects, prints the closing lines, and sets the exit code.
 *
 * @param {'short' | 'long'} form
 * @param {string[]} args
 * @param {number} checkCode exit code of `npm run check`
 */
async function runVitestOverAllProjects(form, args, checkCode) {
  mkdirSync(joinDataPath('reports'), { recursive: true });
  for (const path of [getTestReportPath(), getUnregisteredTestsFilePath(), getOmittedTestCasesPath()])
    rmSync(path, { force: true });
  const vitestCode = await runNodeScript(
    [
      'node_modules/vitest/vitest.mjs',
      'run',
      '--reporter=default',
      '--reporter=json',
      `--outputFile.json=${getTestReportPath()}`,
      ...createVitestRetryArguments(process.env),
      ...args,
    ],
    {
      NODE_ENV: 'test',
      TEST_FORM: form,
      TEST_COMPILED: process.env['TEST_COMPILED'] ?? 'true',
      NOT_REGISTERED_FILE: getUnregisteredTestsFilePath(),
      OMITTED_CASES_FILE: getOmittedTestCasesPath(),
    },
  );
  if (!existsSync(getTestReportPath()))
    throw new ExplainedCommandError(`vitest ended with exit code ${vitestCode} and left no report.`);
  const omittedFiles = form === 'short' ? listLongSpecFiles() : [];
  const { lines, failed } = createTestRunClosingLines(
    JSON.parse(readFileSync(getTestReportPath(), 'utf8')),
    readLinesIfFileExists(getUnregisteredTestsFilePath()),
    readLinesIfFileExists(getOmittedTestCasesPath()).reduce((sum, line) => sum + Number(line), 0),
    omittedFiles,
  );
  if (vitestCode !== 0 && failed === 0) lines.unshift(`vitest ended with exit code ${vitestCode}: see above`);
  if (checkCode !== 0) lines.unshift('check FAILED: see above');
  console.log(`\n${lines.join('\n')}`);
  process.exitCode = checkCode === 0 && vitestCode === 0 && failed === 0 ? 0 : 1;
}

/**
 * `npm run test:faults`: runs the set-up and the long form of the fault tests, or the short form with `--short`. Extra
 * arguments are passed to vitest.
 * @param {string[]} args
 */
export async function runFaultTests(args) {
  await setUpRepository();
  const passed = args.filter((argument) => argument !== '--short');
  process.exitCode = await runNodeScript(['node_modules/vitest/vitest.mjs', 'run', '--project', 'faults', ...passed], {
    NODE_ENV: 'test',
    FAULTS: passed.length === args.length ? 'long' : 'short',
  });
}

/**
 * `npm run test:upgrade`: runs the set-up, and builds the newest release of `releases.json` from the history. Then
 * tests the upgrade from that release to this working tree and back, under load. Extra arguments are passed to vitest.
 * @param {string[]} args
 */
export async function runUpgradeTests(args) {
  await setUpRepository();
  process.exitCode = await runNodeScript(['node_modules/vitest/vitest.mjs', 'run', '--project', 'upgrade', ...args], {
    NODE_ENV: 'test',
    UPGRADE: 'true',
  });
}

/**
 * `npm run test:hostile`: runs the set-up and the tests with hostile requests, with the exact limits. Extra arguments
 * are passed to vitest.
 * @param {string[]} args
 */
export async function runHostileTests(args) {
  await setUpRepository();
  // One service at a time, because the limits assume a machine without other work.
  const project = ['--project', 'hostile', '--maxWorkers=1'];
  process.exitCode = await runNodeScript(['node_modules/vitest/vitest.mjs', 'run', ...project, ...args], {
    NODE_ENV: 'test',
    HOSTILE: 'long',
  });
}

/**
 * `npm run test:races`: runs the set-up and all pairs of concurrent writes of the race suite in its long form. Extra
 * arguments are passed to vitest.
 * @param {string[]} args
 */
export async function runRaceTests(args) {
  await setUpRepository();
  // One service at a time, because the limit on response times assumes a machine without other work.
  const project = ['--project', 'races', '--maxWorkers=1'];
  process.exitCode = await runNodeScript(['node_modules/vitest/vitest.mjs', 'run', ...project, ...args], {
    NODE_ENV: 'test',
    RACES: 'long',
  });
}

/**
 * `npm run test:fuzz`: runs the set-up, then 500 random requests to every endpoint of both services and a long chat
 * conversation. Also reads 2,000 pages of messages with random narrows (message filters). Runs 40 rounds of concurrent
 * actions on channels, and changes 300 random networks of cables. Extra arguments are passed to vitest.
 * @param {string[]} args
 */
export async function runFuzzTests(args) {
  await setUpRepository();
  const files = [
    'test/fuzz.spec.ts',
    'test/conversation.spec.ts',
    'test/channel-event-replay.spec.ts',
    'narrow/narrow-pages.spec.ts',
    'test/cable-path-property.spec.ts',
  ];
  const { FUZZ_RUNS = '500', CONVERSATION_ACTS = '3000', CABLE_PATH_RUNS = '300' } = process.env;
  const { NARROW_RUNS = '2000', REPLAY_ROUNDS = '40' } = process.env;
  const projects = ['--project', 'chat', '--project', 'inventory'];
  process.exitCode = await runNodeScript(['node_modules/vitest/vitest.mjs', 'run', ...projects, ...files, ...args], {
    NODE_ENV: 'test',
    FUZZ_RUNS,
    CONVERSATION_ACTS,
    CABLE_PATH_RUNS,
    NARROW_RUNS,
    REPLAY_ROUNDS,
  });
}

/**
 * `npm run test:export`: runs the set-up, then exports 100,000 messages and compares every row of the archive with the
 * database. Prints the time, memory and longest stall of the worker. Extra arguments are passed to vitest.
 * @param {string[]} args
 */
export async function runExportTest(args) {
  await setUpRepository();
  const file = 'src/features/realm-export/exported-archive-rows.spec.ts';
  const { EXPORT_MESSAGES = '100000' } = process.env;
  process.exitCode = await runNodeScript(
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'chat', file, ...args],
    {
      NODE_ENV: 'test',
      EXPORT_MESSAGES,
    },
  );
}

/**
 * `npm run test:filters`: runs the set-up, then tests every lookup of every filter of each inventory model. `npm test`
 * tests a filter only with an existing value, a missing value, and the negation. Extra arguments are passed to vitest.
 * @param {string[]} args
 */
export async function runFilterTests(args) {
  await setUpRepository();
  const files = ['test/models', 'test/filters.spec.ts', 'test/reference-filters.spec.ts'];
  process.exitCode = await runNodeScript(
    ['node_modules/vitest/vitest.mjs', 'run', '--project', 'inventory', ...files, ...args],
    { NODE_ENV: 'test', FILTERS: 'all' },
  );
}
