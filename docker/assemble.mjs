// @ts-check
/**
 * Assembles the files for the production image of one service: the built service, the required packages, the
 * migrations, and only the production dependencies.
 *
 * Usage: node docker/assemble.mjs <chat|inventory> <empty target folder> The workspace must be built first (`node
 * tools/entry.mjs setup`).
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [app, folder] = process.argv.slice(2);
if ((app !== 'chat' && app !== 'inventory') || !folder) {
  console.error('usage: node docker/assemble.mjs <chat|inventory> <target folder>');
  process.exit(2);
}
const repositoryRoot = resolve(import.meta.dirname, '..');
const assemblyTargetFolder = resolve(folder);
if (existsSync(assemblyTargetFolder) && readdirSync(assemblyTargetFolder).length > 0) {
  console.error(`${assemblyTargetFolder} is not empty`);
  process.exit(2);
}

/** @param {string} path */
const readPackageManifest = (path) => JSON.parse(readFileSync(join(repositoryRoot, path, 'package.json'), 'utf8'));

/**
 * Returns the workspace packages that a workspace package needs at run time, including the package itself.
 * @param {string} path
 * @param {Set<string>} seen
 */
function listRequiredWorkspacePackages(path, seen = new Set()) {
  seen.add(path);
  for (const [name, range] of Object.entries(readPackageManifest(path).dependencies ?? {})) {
    const dependency = `packages/${name.split('/')[1]}`;
    if (String(range).startsWith('workspace:') && !seen.has(dependency)) {
      listRequiredWorkspacePackages(dependency, seen);
    }
  }
  return seen;
}

mkdirSync(assemblyTargetFolder, { recursive: true });
const requiredWorkspacePackages = listRequiredWorkspacePackages(`apps/${app}`);
// The lockfile names all members of the workspace, so all their manifests must exist. Only the required members are
// installed.
for (const member of [
  '.',
  'bench',
  ...readdirSync(join(repositoryRoot, 'apps')).map((name) => `apps/${name}`),
  ...readdirSync(join(repositoryRoot, 'packages')).map((name) => `packages/${name}`),
]) {
  mkdirSync(join(assemblyTargetFolder, member), { recursive: true });
  cpSync(join(repositoryRoot, member, 'package.json'), join(assemblyTargetFolder, member, 'package.json'));
}
for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) {
  cpSync(join(repositoryRoot, file), join(assemblyTargetFolder, file));
}
for (const member of requiredWorkspacePackages) {
  cpSync(join(repositoryRoot, member, 'dist'), join(assemblyTargetFolder, member, 'dist'), { recursive: true });
  for (const folderName of ['bin', 'sql', 'assets']) {
    if (existsSync(join(repositoryRoot, member, folderName))) {
      cpSync(join(repositoryRoot, member, folderName), join(assemblyTargetFolder, member, folderName), {
        recursive: true,
      });
    }
  }
}
cpSync(join(repositoryRoot, 'prisma', app, 'migrations'), join(assemblyTargetFolder, 'prisma', app, 'migrations'), {
  recursive: true,
});
cpSync(join(repositoryRoot, 'docker/healthcheck.mjs'), join(assemblyTargetFolder, 'healthcheck.mjs'));
writeFileSync(join(assemblyTargetFolder, 'main.mjs'), `import './apps/${app}/dist/bundle.js';\n`);
writeFileSync(join(assemblyTargetFolder, 'admin.mjs'), `import './apps/${app}/dist/admin-bundle.js';\n`);

const { version } = readPackageManifest('.').devEngines.packageManager;
const pnpmFilterArguments = [...requiredWorkspacePackages].flatMap((member) => ['--filter', `./${member}`]);
const pnpmInstallResult = spawnSync(
  'npx',
  ['-y', `pnpm@${version}`, 'install', '--prod', '--frozen-lockfile', '--prefer-offline', ...pnpmFilterArguments],
  {
    cwd: assemblyTargetFolder,
    stdio: 'inherit',
    env: { ...process.env, CI: 'true' },
  },
);
process.exit(pnpmInstallResult.status ?? 1);
