// @ts-check
import { acquireLock } from '../../packages/local-services/node-only/lock-file.mjs';
import { appDefinitionByName, findAppDefinition } from './app-definitions.mjs';
import { dataFolderPath, joinDataPath, createFolderForAllUsers } from './data-folder-paths.mjs';
import { checkAppPorts } from './check-app-ports.mjs';
import { confirmLocalDataReset, resetLocalData } from './reset-local-data.mjs';
import { setUpRepository } from './set-up-repository.mjs';
import { registerStopSignalHandlers } from './handle-stop-signals.mjs';
import { LocalServiceStack } from './local-stack.mjs';
import { ExplainedCommandError } from './progress-step.mjs';
import { createStartSummaryMessage } from './start-summary.mjs';

const startCommandUsage = 'npm start [-- chat | inventory] [--reset] [--yes]';

/**
 * Parses the command-line arguments of `npm start`.
 * @param {string[]} args
 * @returns {{ apps: import('./app-definitions.mjs').App[], reset: boolean, yes: boolean }}
 */
export function parseStartArguments(args) {
  const parsed = { apps: Object.values(appDefinitionByName), reset: false, yes: false };
  for (const argument of args) {
    const app = findAppDefinition(argument);
    if (argument === '--reset') parsed.reset = true;
    else if (argument === '--yes') parsed.yes = true;
    else if (app !== null) parsed.apps = [app];
    else throw new ExplainedCommandError(`Unknown argument "${argument}". Usage: ${startCommandUsage}`);
  }
  return parsed;
}

/** Acquires the lock that allows only one `npm start` per data folder. A second start fails with an error message. */
async function acquireDataFolderStartLock() {
  createFolderForAllUsers(dataFolderPath);
  const lock = await acquireLock(joinDataPath('start.lock'), 'npm start');
  if ('holder' in lock) {
    throw new ExplainedCommandError(
      `Switchboard is already running or starting here: process ${lock.holder.pid} (${lock.holder.purpose}). Stop it first.`,
    );
  }
  return lock;
}

/**
 * Runs all processes of the local stack until a signal or a crash, then stops the processes.
 *
 * @param {LocalServiceStack} stack
 * @param {(stack: LocalServiceStack) => Promise<void>} whenReady
 */
async function runLocalStack(stack, whenReady) {
  let asked = false;
  /** @type {() => void} */
  let finish = () => undefined;
  const stopAsked = new Promise((/** @type {(value: null) => void} */ resolve) => (finish = () => resolve(null)));
  registerStopSignalHandlers({
    stop: () => {
      asked = true;
      finish();
    },
    kill: () => stack.killAllProcesses(),
  });
  try {
    const started = stack.startInfrastructureAndApps().then(() => whenReady(stack));
    // Handles an exit or a signal while other services are still starting.
    started.catch(() => undefined);
    const early = await Promise.race([started.then(() => undefined), stack.death, stopAsked]);
    const reason = early === undefined ? await Promise.race([stack.death, stopAsked]) : early;
    if (reason !== null) throw reason;
  } catch (error) {
    if (!asked) throw error;
  } finally {
    await stack.stopAllProcesses();
    console.log('All services are stopped.');
  }
}

/**
 * `npm start`: starts PostgreSQL, Redis and the apps, and runs until the user stops the command.
 *
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, edited?: boolean, whenReady?: (stack: LocalServiceStack) => Promise<void> }} [options]
 */
export async function runStartCommand(args, options = {}) {
  const startedAt = Date.now();
  const env = options.env ?? process.env;
  const wanted = parseStartArguments(args);
  const lock = await acquireDataFolderStartLock();
  try {
    if (wanted.reset) await confirmLocalDataReset(wanted, env);
    await checkAppPorts(wanted.apps, env);
    await setUpRepository();
    if (wanted.reset) await resetLocalData();
    await runLocalStack(new LocalServiceStack(wanted.apps, env, { edited: options.edited ?? false }), async (stack) => {
      console.log(createStartSummaryMessage(stack, startedAt));
      await options.whenReady?.(stack);
    });
  } finally {
    lock.release();
  }
}
