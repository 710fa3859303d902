// @ts-check
import { spawn } from 'node:child_process';
import { root } from './paths.mjs';
import { setUp } from './setup.mjs';
import { EntryError } from './progress-step.mjs';

/**
 * Runs a script of the workspace in this terminal, and exits with its exit code.
 * @param {string[]} args
 */
async function runScript(args) {
  await setUp();
  const child = spawn(process.execPath, args, { cwd: root, stdio: 'inherit' });
  // The terminal sends the signal to the script too. This process waits for the script's exit.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => child.kill(signal));
  process.exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/** @type {Record<string, (args: string[]) => Promise<void>>} */
const commands = {
  setup: () => setUp(),
  start: async (args) => (await import('./start.mjs')).start(args),
  dev: async (args) => (await import('./dev.mjs')).dev(args),
  test: async (args) => (await import('./test.mjs')).test(args),
  'test:faults': async (args) => (await import('./test.mjs')).testFaults(args),
  'test:upgrade': async (args) => (await import('./test.mjs')).testUpgrade(args),
  'test:hostile': async (args) => (await import('./test.mjs')).testHostile(args),
  'test:races': async (args) => (await import('./test.mjs')).testRaces(args),
  check: (args) => runScript(['tools/check.mjs', ...args]),
  gen: (args) => runScript(['tools/gen.mjs', ...args]),
  docs: (args) => runScript(['tools/api-reference/main.mjs', ...args]),
  'test:publish': async () => (await import('./publish-check.mjs')).checkPublishing(),
  bench: (args) => runScript(['tools/bench.mjs', ...args]),
  admin: async (args) => (await import('./admin.mjs')).admin(args),
  'webhook-receiver': (args) => runScript(['apps/inventory/dist/webhook-receiver.js', ...args]),
  'test:fuzz': async (args) => (await import('./test.mjs')).testFuzz(args),
  'test:filters': async (args) => (await import('./test.mjs')).testFilters(args),
  'test:export': async (args) => (await import('./test.mjs')).testExport(args),
  'test:scale': (args) => runScript(['bench/dist/scale/main.js', ...args]),
  'test:compose': async (args) => (await import('../compose/deployment.mjs')).testCompose(args),
  'test:operate': async () => (await import('../operate/test-operate.mjs')).testOperate(),
  'test:node': async (args) => (await import('./node-matrix.mjs')).testNodeVersions(args),
};

/**
 * Runs one command of the entry script. An {@link EntryError} is printed without a stack.
 *
 * @param {string[]} argv command and its arguments
 */
export async function runCommand([name = '', ...args]) {
  const command = commands[name];
  try {
    if (command === undefined)
      throw new EntryError(`Unknown command "${name}". Commands: ${Object.keys(commands).join(', ')}`);
    await command(args);
  } catch (error) {
    const explained = error instanceof EntryError || (error instanceof Error && error.name.startsWith('LocalServices'));
    console.error(explained ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
