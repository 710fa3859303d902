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
const targetFolder = resolve(folder);
if (existsSync(targetFolder) && readdirSync(targetFolder).length > 0) {
  console.error(`${targetFolder} is not empty`);
  process.exit(2);
}

/** @param {string} path */
const readManifest = (path) => JSON.parse(readFileSync(join(repositoryRoot, path, 'package.json'), 'utf8'));

/**
 * Returns the workspace packages that a workspace package needs at run time, including the package itself.
 * @param {string} path
 * @param {Set<string>} seen
 */
function listRequiredMembers(path, seen = new Set()) {
  seen.add(path);
  for (const [name, range] of Object.entries(readManifest(path).dependencies ?? {})) {
    const dependency = `packages/${name.split('/')[1]}`;
    if (String(range).startsWith('workspace:') && !seen.has(dependency)) {
      listRequiredMembers(dependency, seen);
    }
  }
  return seen;
}

mkdirSync(targetFolder, { recursive: true });
const requiredMembers = listRequiredMembers(`apps/${app}`);
// The lockfile names all members of the workspace, so all their manifests must exist. Only the required members are
// installed.
for (const member of [
  '.',
  'bench',
  ...readdirSync(join(repositoryRoot, 'apps')).map((name) => `apps/${name}`),
  ...readdirSync(join(repositoryRoot, 'packages')).map((name) => `packages/${name}`),
]) {
  mkdirSync(join(targetFolder, member), { recursive: true });
  cpSync(join(repositoryRoot, member, 'package.json'), join(targetFolder, member, 'package.json'));
}
for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) {
  cpSync(join(repositoryRoot, file), join(targetFolder, file));
}
for (const member of requiredMembers) {
  cpSync(join(repositoryRoot, member, 'dist'), join(targetFolder, member, 'dist'), { recursive: true });
  for (const folderName of ['bin', 'sql', 'assets']) {
    if (existsSync(join(repositoryRoot, member, folderName))) {
      cpSync(join(repositoryRoot, member, folderName), join(targetFolder, member, folderName), { recursive: true });
    }
  }
}
cpSync(join(repositoryRoot, 'prisma', app, 'migrations'), join(targetFolder, 'prisma', app, 'migrations'), {
  recursive: true,
});
cpSync(join(repositoryRoot, 'docker/healthcheck.mjs'), join(targetFolder, 'healthcheck.mjs'));
writeFileSync(join(targetFolder, 'main.mjs'), `import './apps/${app}/dist/bundle.js';\n`);
writeFileSync(join(targetFolder, 'admin.mjs'), `import './apps/${app}/dist/admin-bundle.js';\n`);

const { version } = readManifest('.').devEngines.packageManager;
const pnpmFilters = [...requiredMembers].flatMap((member) => ['--filter', `./${member}`]);
const pnpmInstallResult = spawnSync(
  'npx',
  ['-y', `pnpm@${version}`, 'install', '--prod', '--frozen-lockfile', '--prefer-offline', ...pnpmFilters],
  {
    cwd: targetFolder,
    stdio: 'inherit',
    env: { ...process.env, CI: 'true' },
  },
);
process.exit(pnpmInstallResult.status ?? 1);
