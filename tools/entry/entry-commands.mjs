// @ts-check
import { spawn } from 'node:child_process';
import { repositoryRoot } from './data-folder-paths.mjs';
import { setUpRepository } from './set-up-repository.mjs';
import { ExplainedCommandError } from './progress-step.mjs';

/**
 * Runs a script of the workspace with the input and output of this process, and exits with the script's exit code.
 * @param {string[]} args
 */
async function runWorkspaceScriptAndExit(args) {
  await setUpRepository();
  const child = spawn(process.execPath, args, { cwd: repositoryRoot, stdio: 'inherit' });
  // The terminal sends the signal to the script too. This process waits for the script's exit.
  for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM'])) process.on(signal, () => child.kill(signal));
  process.exitCode = await new Promise((resolve, reject) => {
    child.once('error', reject);
    child.once('close', (code) => resolve(code ?? 1));
  });
}

/**
 * Writes the generated files, or compares them with `--check`. The list of webhook formats is written before the set-up,
 * which compiles it, because the other files are generated from the compiled apps.
 *
 * @param {string[]} args
 */
async function runGenerators(args) {
  if (!args.includes('--check')) (await import('../webhook-format-list.mjs')).writeWebhookFormatList();
  await runWorkspaceScriptAndExit(['tools/gen.mjs', ...args]);
}

/** @type {Record<string, (args: string[]) => Promise<void>>} */
const entryCommandByName = {
  setup: () => setUpRepository(),
  start: async (args) => (await import('./start-command.mjs')).runStartCommand(args),
  dev: async (args) => (await import('./development-mode.mjs')).runDevelopmentMode(args),
  test: async (args) => (await import('./test-command.mjs')).runTestCommand(args),
  'test:long': async (args) => (await import('./test-command.mjs')).runLongTests(args),
  'test:faults': async (args) => (await import('./test-command.mjs')).runFaultTests(args),
  'test:upgrade': async (args) => (await import('./test-command.mjs')).runUpgradeTests(args),
  'test:hostile': async (args) => (await import('./test-command.mjs')).runHostileTests(args),
  'test:races': async (args) => (await import('./test-command.mjs')).runRaceTests(args),
  check: (args) => runWorkspaceScriptAndExit(['tools/check.mjs', ...args]),
  gen: runGenerators,
  docs: (args) => runWorkspaceScriptAndExit(['tools/api-reference/main.mjs', ...args]),
  'test:publish': async () => (await import('./publish-check.mjs')).checkPublishingOfAllPackages(),
  bench: (args) => runWorkspaceScriptAndExit(['tools/bench.mjs', ...args]),
  admin: async (args) => (await import('./admin-command.mjs')).runAdminCommand(args),
  'webhook-receiver': (args) => runWorkspaceScriptAndExit(['apps/inventory/dist/webhook-receiver.js', ...args]),
  'test:fuzz': async (args) => (await import('./test-command.mjs')).runFuzzTests(args),
  'test:filters': async (args) => (await import('./test-command.mjs')).runFilterTests(args),
  'test:export': async (args) => (await import('./test-command.mjs')).runExportTest(args),
  'test:scale': (args) => runWorkspaceScriptAndExit(['bench/dist/scale/main.js', ...args]),
  'test:compose': async (args) => (await import('../compose/deployment.mjs')).runComposeTest(args),
  'test:operate': async () => (await import('../operate/test-operate.mjs')).runAllOperatorCodeBlocks(),
  'test:packed': async (args) => (await import('./packed-matrix.mjs')).testPackedPackages(args),
  'test:newcomer': async () => (await import('./newcomer-test-command.mjs')).runNewcomerTest(),
  'test:node': async (args) => (await import('./node-matrix.mjs')).testNodeVersions(args),
};

/**
 * Runs one command of the entry script. An {@link ExplainedCommandError} is printed without a stack trace.
 *
 * @param {string[]} argv name of the command and its arguments
 */
export async function runEntryCommand([name = '', ...args]) {
  const command = entryCommandByName[name];
  try {
    if (command === undefined)
      throw new ExplainedCommandError(
        `Unknown command "${name}". Commands: ${Object.keys(entryCommandByName).join(', ')}`,
      );
    await command(args);
  } catch (error) {
    const explained =
      error instanceof ExplainedCommandError || (error instanceof Error && error.name.startsWith('LocalServices'));
    console.error(explained ? `\n${error.message}` : error);
    process.exitCode = 1;
  }
}
