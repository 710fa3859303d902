// @ts-check
import { existsSync, readdirSync, rmSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { repositoryRoot } from './data-folder-paths.mjs';
import { pauseBeforeReportingEditsMs, watchSourceFiles } from './watch-source-files.mjs';
import { runStartCommand } from './start-command.mjs';
import { ExplainedCommandError, runToolAndCaptureOutput } from './progress-step.mjs';

/**
 * Time limit in milliseconds for a service to finish its requests before `npm run dev` restarts it. The limit is short,
 * because the developer waits for the effect of an edit.
 */
const serviceRestartTimeoutMs = 500;

/** Returns the folders of packages and apps that contain TypeScript sources. */
function listSourceFolders() {
  return ['packages', 'apps'].flatMap((group) =>
    readdirSync(join(repositoryRoot, group))
      .map((name) => join(repositoryRoot, group, name, 'src'))
      .filter((folder) => existsSync(folder)),
  );
}

/**
 * Compiles one package or app without checking types. The editor and `npm run check` check types, which takes longer
 * than compiling.
 *
 * @param {string} member folder of the package or app, such as `packages/queue`
 */
function compileWorkspaceMember(member) {
  // This build is partial. The next set-up must compile the member completely, even if the edit is reverted.
  for (const mark of [join(member, 'dist/.tsbuildinfo'), 'node_modules/.switchboard-built']) {
    rmSync(join(repositoryRoot, mark), { force: true });
  }
  const off = ['composite', 'incremental', 'declaration', 'declarationMap'].flatMap((name) => [`--${name}`, 'false']);
  const compiler = 'node_modules/typescript/bin/tsc';
  return runToolAndCaptureOutput(process.execPath, [
    compiler,
    '-p',
    member,
    '--noCheck',
    ...off,
    '--tsBuildInfoFile',
    'null',
  ]);
}

/**
 * Compiles the packages and apps whose files were edited, and restarts the affected services.
 *
 * @param {import('./local-stack.mjs').LocalServiceStack} stack
 * @param {Iterable<string>} folders folders with edited files
 */
async function compileEditsAndRestartServices(stack, folders) {
  const started = Date.now();
  const members = new Set(
    [...folders].map((folder) => relative(repositoryRoot, folder).split(sep).slice(0, 2).join('/')),
  );
  await Promise.all([...members].map(compileWorkspaceMember));
  const own = stack.apps.filter((app) => members.delete(`apps/${app.name}`));
  // The other members are packages, which any service may use, and services that do not run.
  const apps = [...members].some((member) => member.startsWith('packages/')) ? stack.apps : own;
  if (stack.isStopped || apps.length === 0) return;
  await stack.stopApps(apps, serviceRestartTimeoutMs);
  if (stack.isStopped) return;
  await stack.startApps(apps);
  console.log(
    `The edited services were ready after ${((Date.now() - started + pauseBeforeReportingEditsMs) / 1000).toFixed(1)} s.`,
  );
}

/**
 * Returns a function that compiles edited folders and restarts services. Only one run of the function is in progress at
 * a time; edits during a run cause one more run.
 *
 * @param {import('./local-stack.mjs').LocalServiceStack} stack
 */
function createSerialCompileFunction(stack) {
  let running = false;
  /** @type {Set<string>} */
  let waiting = new Set();
  return async (/** @type {string[]} */ edited) => {
    for (const folder of edited) waiting.add(folder);
    if (running) return;
    running = true;
    while (waiting.size > 0 && !stack.isStopped) {
      const folders = waiting;
      waiting = new Set();
      try {
        await compileEditsAndRestartServices(stack, folders);
      } catch (error) {
        // Wait for the next edit, which may fix the error.
        if (!stack.isStopped) console.error(error instanceof ExplainedCommandError ? error.message : error);
      }
    }
    running = false;
  };
}

/**
 * `npm run dev`: like `npm start`, but compiles every edit in an app or package and restarts the affected services
 * within two seconds.
 *
 * @param {string[]} args arguments of `npm start`
 */
export async function runDevelopmentMode(args) {
  let endWatching = () => {};
  try {
    await runStartCommand(args, {
      edited: true,
      whenReady: async (stack) => {
        const round = createSerialCompileFunction(stack);
        endWatching = watchSourceFiles(listSourceFolders(), (edited) => void round(edited));
        console.log('Watching for edits. An edit restarts the services that use the file.');
      },
    });
  } finally {
    endWatching();
  }
}
