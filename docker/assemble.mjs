// @ts-check
/**
 * Assembles the files for the production image of one service: its build, the required packages, its migrations, and
 * the dependencies of production only.
 *
 * Usage: node docker/assemble.mjs <chat|inventory> <empty target folder>
 * The workspace must be built before (`node tools/entry.mjs setup`).
 */
import { spawnSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const [app, folder] = process.argv.slice(2);
if ((app !== 'chat' && app !== 'inventory') || !folder) {
  console.error('usage: node docker/assemble.mjs <chat|inventory> <target folder>');
  process.exit(2);
}
const root = resolve(import.meta.dirname, '..');
const target = resolve(folder);
if (existsSync(target) && readdirSync(target).length > 0) {
  console.error(`${target} is not empty`);
  process.exit(2);
}

/** @param {string} path */
const readManifest = (path) => JSON.parse(readFileSync(join(root, path, 'package.json'), 'utf8'));

/**
 * Returns the workspace packages that a member needs at run time, including itself.
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

mkdirSync(target, { recursive: true });
const requiredMembers = listRequiredMembers(`apps/${app}`);
// The lockfile names all members of the workspace, so all their manifests must exist. Only the required members are
// installed.
for (const member of [
  '.',
  'bench',
  ...readdirSync(join(root, 'apps')).map((name) => `apps/${name}`),
  ...readdirSync(join(root, 'packages')).map((name) => `packages/${name}`),
]) {
  mkdirSync(join(target, member), { recursive: true });
  cpSync(join(root, member, 'package.json'), join(target, member, 'package.json'));
}
for (const file of ['pnpm-lock.yaml', 'pnpm-workspace.yaml']) {
  cpSync(join(root, file), join(target, file));
}
for (const member of requiredMembers) {
  cpSync(join(root, member, 'dist'), join(target, member, 'dist'), { recursive: true });
  for (const folderName of ['bin', 'sql', 'assets']) {
    if (existsSync(join(root, member, folderName))) {
      cpSync(join(root, member, folderName), join(target, member, folderName), { recursive: true });
    }
  }
}
cpSync(join(root, 'prisma', app, 'migrations'), join(target, 'prisma', app, 'migrations'), { recursive: true });
cpSync(join(root, 'docker/healthcheck.mjs'), join(target, 'healthcheck.mjs'));
writeFileSync(join(target, 'main.mjs'), `import './apps/${app}/dist/bundle.js';\n`);
writeFileSync(join(target, 'admin.mjs'), `import './apps/${app}/dist/admin-bundle.js';\n`);

const { version } = readManifest('.').devEngines.packageManager;
const filters = [...requiredMembers].flatMap((member) => ['--filter', `./${member}`]);
const install = spawnSync(
  'npx',
  ['-y', `pnpm@${version}`, 'install', '--prod', '--frozen-lockfile', '--prefer-offline', ...filters],
  {
    cwd: target,
    stdio: 'inherit',
    env: { ...process.env, CI: 'true' },
  },
);
process.exit(install.status ?? 1);
