// @ts-check
import { acquireLock } from '../../packages/local-services/node-only/lock-file.mjs';
import { apps, findApp } from './apps.mjs';
import { dataFolder, dataPath, makeOpenFolder } from './paths.mjs';
import { checkPorts } from './ports.mjs';
import { confirmReset, reset } from './reset.mjs';
import { setUp } from './setup.mjs';
import { onSignals } from './signals.mjs';
import { Stack } from './stack.mjs';
import { EntryError } from './progress-step.mjs';
import { summary } from './summary.mjs';

const usage = 'npm start [-- chat | inventory] [--reset] [--yes]';

/**
 * Parses the arguments of `npm start`.
 * @param {string[]} args
 * @returns {{ apps: import('./apps.mjs').App[], reset: boolean, yes: boolean }}
 */
export function parseStartArguments(args) {
  const parsed = { apps: Object.values(apps), reset: false, yes: false };
  for (const argument of args) {
    const app = findApp(argument);
    if (argument === '--reset') parsed.reset = true;
    else if (argument === '--yes') parsed.yes = true;
    else if (app !== null) parsed.apps = [app];
    else throw new EntryError(`Unknown argument "${argument}". Usage: ${usage}`);
  }
  return parsed;
}

/** Takes the lock that allows one `npm start` per data folder. A second start fails with a message. */
async function lockStart() {
  makeOpenFolder(dataFolder);
  const lock = await acquireLock(dataPath('start.lock'), 'npm start');
  if ('holder' in lock) {
    throw new EntryError(
      `Switchboard is already running or starting here: process ${lock.holder.pid} (${lock.holder.purpose}). Stop it first.`,
    );
  }
  return lock;
}

/**
 * Runs all processes until a signal or a crash, then stops them.
 *
 * @param {Stack} stack
 * @param {(stack: Stack) => Promise<void>} whenReady
 */
async function runStack(stack, whenReady) {
  let asked = false;
  /** @type {() => void} */
  let finish = () => undefined;
  const stopAsked = new Promise((/** @type {(value: null) => void} */ resolve) => (finish = () => resolve(null)));
  onSignals({
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
 * `npm start`: starts PostgreSQL, Redis and the apps, and runs until it is stopped.
 *
 * @param {string[]} args
 * @param {{ env?: NodeJS.ProcessEnv, edited?: boolean, whenReady?: (stack: Stack) => Promise<void> }} [options]
 */
export async function start(args, options = {}) {
  const startedAt = Date.now();
  const env = options.env ?? process.env;
  const wanted = parseStartArguments(args);
  const lock = await lockStart();
  try {
    if (wanted.reset) await confirmReset(wanted, env);
    await checkPorts(wanted.apps, env);
    await setUp();
    if (wanted.reset) await reset();
    await runStack(new Stack(wanted.apps, env, { edited: options.edited ?? false }), async (stack) => {
      console.log(summary(stack, startedAt));
      await options.whenReady?.(stack);
    });
  } finally {
    lock.release();
  }
}
