// @ts-check
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { acquireLock } from '../../packages/local-services/node-only/lock-file.mjs';
import { computeHashOfFiles, createContentRecordFile } from './content-fingerprint.mjs';
import { createFolderForAllUsers, repositoryRoot } from './data-folder-paths.mjs';
import { ExplainedCommandError, runToolAndCaptureOutput, runStepWithProgress } from './progress-step.mjs';

const installationRecordFile = createContentRecordFile('node_modules/.switchboard-installed');
const buildRecordFile = createContentRecordFile('node_modules/.switchboard-built');
const generatedClientsRecordFile = createContentRecordFile('node_modules/.switchboard-generated');

/** Returns the version of pnpm that the repository's package.json requires. */
export function readRequiredPnpmVersion() {
  const manifest = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
  return manifest.devEngines.packageManager.version;
}

/**
 * Returns the content of a file in the repository, or an empty string if the file does not exist.
 * @param {string} file
 */
function readRepositoryFile(file) {
  const path = join(repositoryRoot, file);
  return existsSync(path) ? readFileSync(path, 'utf8') : '';
}

/**
 * Returns true if `node_modules` was already installed for the current lockfile by another command than the set-up.
 * Compares the lockfile with the lockfile that pnpm last installed.
 */
function isInstalledByOtherCommand() {
  return (
    existsSync(join(repositoryRoot, 'node_modules/.modules.yaml')) &&
    readRepositoryFile('node_modules/.pnpm/lock.yaml') === readRepositoryFile('pnpm-lock.yaml')
  );
}

async function installMissingDependencies() {
  const fingerprint = computeHashOfFiles(['pnpm-lock.yaml', 'pnpm-workspace.yaml']);
  if (installationRecordFile.says(fingerprint)) return;
  if (!isInstalledByOtherCommand()) {
    const pnpm = `pnpm@${readRequiredPnpmVersion()}`;
    await runStepWithProgress(`Installing dependencies with ${pnpm}`, () =>
      // With CI set, pnpm asks no questions, even if it has to replace the node_modules of another tool.
      runToolAndCaptureOutput('npx', ['-y', pnpm, 'install', '--frozen-lockfile', '--reporter=append-only'], {
        env: { CI: 'true' },
      }),
    );
  }
  installationRecordFile.write(fingerprint);
}

/** Returns true if the Prisma client of each app has been generated. */
function haveGeneratedPrismaClients() {
  return ['chat', 'inventory'].every((app) =>
    existsSync(join(repositoryRoot, `apps/${app}/src/generated/prisma/client.ts`)),
  );
}

async function generateMissingPrismaClients() {
  const fingerprint = computeHashOfFiles(['prisma', 'pnpm-lock.yaml'], (file) =>
    /\.(prisma|ts)$|client\.json$|pnpm-lock/.test(file),
  );
  if (generatedClientsRecordFile.says(fingerprint) && haveGeneratedPrismaClients()) return;
  await runStepWithProgress('Generating Prisma clients', () =>
    runToolAndCaptureOutput(process.execPath, ['tools/prisma-generate.mjs']),
  );
  generatedClientsRecordFile.write(fingerprint);
}

/** Returns true if every package and app has been compiled. */
function isWorkspaceCompiled() {
  return ['packages', 'apps'].every((group) =>
    readdirSync(join(repositoryRoot, group))
      .filter((name) => existsSync(join(repositoryRoot, group, name, 'tsconfig.json')))
      .every((name) => existsSync(join(repositoryRoot, group, name, group === 'apps' ? 'dist/bundle.js' : 'dist'))),
  );
}

async function compileOutdatedWorkspace() {
  const sources = ['tsconfig.json', 'tsconfig.base.json', 'pnpm-lock.yaml', 'packages', 'apps', 'tools/bundle.mjs'];
  const compiled = /** @param {string} file */ (file) =>
    /\.(ts|mts)$|bundle\.mjs$|(package|tsconfig)\.json$|pnpm-lock/.test(file) && !/\.spec\.ts$|\/test\//.test(file);
  const fingerprint = computeHashOfFiles(sources, compiled);
  if (buildRecordFile.says(fingerprint) && isWorkspaceCompiled()) return;
  await runStepWithProgress('Compiling', () =>
    runToolAndCaptureOutput(process.execPath, ['node_modules/typescript/bin/tsc', '-b']),
  );
  await runStepWithProgress('Bundling', () => runToolAndCaptureOutput(process.execPath, ['tools/bundle.mjs']));
  buildRecordFile.write(fingerprint);
}

async function acquireRepositorySetupLock() {
  // Always in the repository's data folder, even if a run uses another one, because set-ups change the same files.
  const folder = join(repositoryRoot, '.data');
  createFolderForAllUsers(folder);
  for (let told = false; ; told = true) {
    const lock = await acquireLock(join(folder, 'setup.lock'), 'setting up');
    if (!('holder' in lock)) return lock;
    if (!told) console.log(`Waiting for process ${lock.holder.pid}, which is setting up this repository.`);
    await delay(250);
  }
}

/**
 * Installs and builds missing parts of the repository in order: dependencies, Prisma clients, compiled code. Skips
 * unchanged parts without network access.
 */
export async function setUpRepository() {
  const started = Date.now();
  const lock = await acquireRepositorySetupLock();
  try {
    await installMissingDependencies();
    await generateMissingPrismaClients();
    await compileOutdatedWorkspace();
  } finally {
    lock.release();
  }
  console.log(`Set up in ${((Date.now() - started) / 1000).toFixed(1)} s.`);
}

/**
 * Imports a module of a compiled package and returns the module. The compiled package exists only after the set-up.
 *
 * @template T
 * @param {string} name of the package
 * @param {() => Promise<T>} load
 */
async function importCompiledModule(name, load) {
  try {
    return await load();
  } catch (error) {
    throw new ExplainedCommandError(
      `packages/${name} is not compiled: ${error instanceof Error ? error.message : String(error)}`,
    );
  }
}

/** Imports the compiled package `local-services` and returns its exports. */
export function importLocalServices() {
  return importCompiledModule('local-services', () => import('../../packages/local-services/dist/index.js'));
}

/** Imports the rule that decides when the supervisor of a service restarts a process. */
export function importSupervisorRestartPolicy() {
  return importCompiledModule('platform', () => import('../../packages/platform/dist/supervisor/restart-policy.js'));
}
