// @ts-check
import { acquireLock } from '../../packages/local-services/node-only/lock-file.mjs';
import { appByName, findApp } from './app-definitions.mjs';
import { dataFolderPath, joinDataPath, createFolderForAllUsers } from './data-folder-paths.mjs';
import { checkAppPorts } from './check-app-ports.mjs';
import { confirmReset, resetLocalData } from './reset-local-data.mjs';
import { setUpRepository } from './set-up-repository.mjs';
import { handleStopSignals } from './handle-stop-signals.mjs';
import { LocalStack } from './local-stack.mjs';
import { EntryError } from './progress-step.mjs';
import { createStartSummary } from './start-summary.mjs';

const startUsage = 'npm start [-- chat | inventory] [--reset] [--yes]';

/**
 * Parses the command-line arguments of `npm start`.
 * @param {string[]} args
 * @returns {{ apps: import('./app-definitions.mjs').App[], reset: boolean, yes: boolean }}
 */
export function parseStartArguments(args) {
  const parsed = { apps: Object.values(appByName), reset: false, yes: false };
  for (const argument of args) {
    const app = findApp(argument);
    if (argument === '--reset') parsed.reset = true;
    else if (argument === '--yes') parsed.yes = true;
    else if (app !== null) parsed.apps = [app];
    else throw new EntryError(`Unknown argument "${argument}". Usage: ${startUsage}`);
  }
  return parsed;
}

/** Acquires the lock that allows only one `npm start` per data folder. A second start fails with an error message. */
async function acquireStartLock() {
  createFolderForAllUsers(dataFolderPath);
  const lock = await acquireLock(joinDataPath('start.lock'), 'npm start');
  if ('holder' in lock) {
    throw new EntryError(
      `Switchboard is already running or starting here: process ${lock.holder.pid} (${lock.holder.purpose}). Stop it first.`,
    );
  }
  return lock;
}

/**
 * Runs all processes of the local stack until a signal or a crash, then stops the processes.
 *
 * @param {LocalStack} stack
 * @param {(stack: LocalStack) => Promise<void>} whenReady
 */
async function runLocalStack(stack, whenReady) {
  let asked = false;
  /** @type {() => void} */
  let finish = () => undefined;
  const stopAsked = new Promise((/** @type {(value: null) => void} */ resolve) => (finish = () => resolve(null)));
  handleStopSignals({
    stop: () => {
      asked = true;
      finish();
    },
    kill: () => stack.kill(),
  });
  try {
    const started = stack.start().then(() => whenReady(stack));
    // Handles an exit or a signal while other services are still starting.
    started.catch(() => undefined);
    const early = await Promise.race([started.then(() => undefined), stack.death, stopAsked]);
    const reason = early === undefined ? await Promise.race([stack.death, stopAsked]) : early;
    if (reason !== null) throw reason;
  } catch (error) {
    if (!asked) throw error;
  } finally {
    await stack.stop();
    console.log('All services are stopped.');
  }
}

/**
 * `npm start`: starts PostgreSQL, Redis and the apps, and runs until the user stops the command.
 *
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, edited?: boolean, whenReady?: (stack: LocalStack) => Promise<void> }} [options]
 */
export async function runStartCommand(args, options = {}) {
  const startedAt = Date.now();
  const env = options.env ?? process.env;
  const wanted = parseStartArguments(args);
  const lock = await acquireStartLock();
  try {
    if (wanted.reset) await confirmReset(wanted, env);
    await checkAppPorts(wanted.apps, env);
    await setUpRepository();
    if (wanted.reset) await resetLocalData();
    await runLocalStack(new LocalStack(wanted.apps, env, { edited: options.edited ?? false }), async (stack) => {
      console.log(createStartSummary(stack, startedAt));
      await options.whenReady?.(stack);
    });
  } finally {
    lock.release();
  }
}
