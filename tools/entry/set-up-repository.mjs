// @ts-check
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { acquireLock } from '../../packages/local-services/node-only/lock-file.mjs';
import { computeContentFingerprint, createStampFile } from './content-fingerprint.mjs';
import { createFolderForAllUsers, repositoryRoot } from './data-folder-paths.mjs';
import { EntryError, runToolAndCaptureOutput, runProgressStep } from './progress-step.mjs';

const installationStamp = createStampFile('node_modules/.switchboard-installed');
const buildStamp = createStampFile('node_modules/.switchboard-built');
const generateStamp = createStampFile('node_modules/.switchboard-generated');

/** Returns the version of pnpm that the repository's package.json requires. */
export function pnpmVersion() {
  const manifest = JSON.parse(readFileSync(join(repositoryRoot, 'package.json'), 'utf8'));
  return manifest.devEngines.packageManager.version;
}

/**
 * Returns the content of a file in the repository, or an empty text if the file does not exist.
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
function isInstalledByHand() {
  return (
    existsSync(join(repositoryRoot, 'node_modules/.modules.yaml')) &&
    readRepositoryFile('node_modules/.pnpm/lock.yaml') === readRepositoryFile('pnpm-lock.yaml')
  );
}

async function installDependencies() {
  const fingerprint = computeContentFingerprint(['pnpm-lock.yaml', 'pnpm-workspace.yaml']);
  if (installationStamp.says(fingerprint)) return;
  if (!isInstalledByHand()) {
    const pnpm = `pnpm@${pnpmVersion()}`;
    await runProgressStep(`Installing dependencies with ${pnpm}`, () =>
      // With CI set, pnpm asks no questions, even if it has to replace the node_modules of another tool.
      runToolAndCaptureOutput('npx', ['-y', pnpm, 'install', '--frozen-lockfile', '--reporter=append-only'], {
        env: { CI: 'true' },
      }),
    );
  }
  installationStamp.write(fingerprint);
}

/** Returns true if the Prisma client of each app has been generated. */
function generatedClientsExist() {
  return ['chat', 'inventory'].every((app) =>
    existsSync(join(repositoryRoot, `apps/${app}/src/generated/prisma/client.ts`)),
  );
}

async function generateClients() {
  const fingerprint = computeContentFingerprint(['prisma', 'pnpm-lock.yaml'], (file) =>
    /\.(prisma|ts)$|client\.json$|pnpm-lock/.test(file),
  );
  if (generateStamp.says(fingerprint) && generatedClientsExist()) return;
  await runProgressStep('Generating Prisma clients', () =>
    runToolAndCaptureOutput(process.execPath, ['tools/prisma-generate.mjs']),
  );
  generateStamp.write(fingerprint);
}

/** Returns true if every package and app has been compiled. */
function compiledOutputsExist() {
  return ['packages', 'apps'].every((group) =>
    readdirSync(join(repositoryRoot, group))
      .filter((name) => existsSync(join(repositoryRoot, group, name, 'tsconfig.json')))
      .every((name) => existsSync(join(repositoryRoot, group, name, group === 'apps' ? 'dist/bundle.js' : 'dist'))),
  );
}

async function buildWorkspace() {
  const sources = ['tsconfig.json', 'tsconfig.base.json', 'pnpm-lock.yaml', 'packages', 'apps', 'tools/bundle.mjs'];
  const compiled = /** @param {string} file */ (file) =>
    /\.(ts|mts)$|bundle\.mjs$|(package|tsconfig)\.json$|pnpm-lock/.test(file) && !/\.spec\.ts$|\/test\//.test(file);
  const fingerprint = computeContentFingerprint(sources, compiled);
  if (buildStamp.says(fingerprint) && compiledOutputsExist()) return;
  await runProgressStep('Compiling', () =>
    runToolAndCaptureOutput(process.execPath, ['node_modules/typescript/bin/tsc', '-b']),
  );
  await runProgressStep('Bundling', () => runToolAndCaptureOutput(process.execPath, ['tools/bundle.mjs']));
  buildStamp.write(fingerprint);
}

async function acquireSetupLock() {
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
  const lock = await acquireSetupLock();
  try {
    await installDependencies();
    await generateClients();
    await buildWorkspace();
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
    throw new EntryError(`packages/${name} is not compiled: ${error instanceof Error ? error.message : String(error)}`);
  }
}

/** Imports the compiled package `local-services` and returns its exports. */
export function importLocalServices() {
  return importCompiledModule('local-services', () => import('../../packages/local-services/dist/index.js'));
}

/** Imports the rule that decides when the supervisor of a service restarts a process. */
export function importRestartPolicy() {
  return importCompiledModule('platform', () => import('../../packages/platform/dist/supervisor/restart-policy.js'));
}
