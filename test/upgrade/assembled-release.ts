import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createWriteStream, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const root = resolve(import.meta.dirname, '../..');
const folder = join(root, '.data/upgrade');

/** A release of the services, with one folder for each service. The script docker/assemble.mjs creates the folders. */
export interface AssembledRelease {
  readonly version: string;
  readonly folders: { readonly chat: string; readonly inventory: string };
}

/** Version and commit of a release in `releases.json`. */
interface NamedRelease {
  readonly version: string;
  readonly commit: string;
}

/**
 * Returns the release from which the test upgrades. This is the release whose version is in the variable UPGRADE_FROM,
 * or by default the newest release in `releases.json`.
 *
 * @throws Error when `releases.json` does not contain the release
 */
function findStartRelease(): NamedRelease {
  const releases = JSON.parse(readFileSync(join(root, 'releases.json'), 'utf8')) as NamedRelease[];
  const { UPGRADE_FROM: version = '' } = process.env;
  const release = version === '' ? releases.at(-1) : releases.find((one) => one.version === version);
  if (release === undefined) throw new Error(`releases.json names no release ${version}`);
  return release;
}

/**
 * Runs a program and writes its output to a log file.
 *
 * @throws Error with the end of the output when the program fails
 */
async function run(command: string, args: readonly string[], cwd: string): Promise<void> {
  const log = join(folder, 'build.log');
  const output = createWriteStream(log, { flags: 'a' });
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  let tail = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      output.write(chunk);
      tail = (tail + chunk.toString()).slice(-4_000);
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  output.end();
  if (code !== 0) throw new Error(`${command} ${args.join(' ')} ended with ${code}:\n${tail}`);
}

async function assemble(source: string, target: string): Promise<AssembledRelease['folders']> {
  const folders = { chat: join(target, 'chat'), inventory: join(target, 'inventory') };
  for (const [app, path] of Object.entries(folders)) {
    rmSync(path, { recursive: true, force: true });
    await run(process.execPath, ['docker/assemble.mjs', app, path], source);
  }
  return folders;
}

/**
 * Returns the release from which the test upgrades, built from the history of the repository. The release is built only
 * once and remains in `.data/upgrade`.
 *
 * @throws Error when this copy of the repository does not have the commit
 */
export async function buildStartRelease(): Promise<AssembledRelease> {
  const { version, commit } = findStartRelease();
  const target = join(folder, `${version}-${commit.slice(0, 8)}`);
  const stamp = join(target, 'complete');
  const source = join(target, 'source');
  if (existsSync(stamp)) {
    return { version, folders: { chat: join(target, 'chat'), inventory: join(target, 'inventory') } };
  }
  rmSync(target, { recursive: true, force: true });
  mkdirSync(source, { recursive: true });
  const archive = join(target, 'source.tar');
  await run('git', ['archive', '--output', archive, commit], root).catch((cause: unknown) => {
    throw new Error(`This copy has no commit ${commit} of release ${version}: fetch the whole history.`, { cause });
  });
  await run('tar', ['-xf', archive, '-C', source], target);
  await run(process.execPath, ['tools/entry.mjs', 'setup'], source);
  const folders = await assemble(source, target);
  for (const path of [archive, source]) rmSync(path, { recursive: true });
  writeFileSync(stamp, '');
  return { version, folders };
}

/**
 * SQL of the migrations of a later release, which the test adds to the files of this working tree. Every migration adds
 * a column.
 */
const laterMigrations = {
  chat: 'ALTER TABLE messages ADD COLUMN later_release integer;',
  inventory: 'ALTER TABLE dcim_site ADD COLUMN later_release integer;',
  queue: 'ALTER TABLE queue.outbox ADD COLUMN later_release integer;',
};

/**
 * Builds the next release from the files of this working tree. The release has one additional migration of the service
 * and of the queue, so that the previous release finds unknown migrations.
 *
 * @param oldest oldest release that can run against the migrated tables
 */
export async function buildNextRelease(oldest: string): Promise<AssembledRelease> {
  mkdirSync(folder, { recursive: true });
  const folders = await assemble(root, join(folder, 'next'));
  for (const app of ['chat', 'inventory'] as const) {
    const header = `-- Oldest release: ${oldest}\n`;
    const migration = join(folders[app], 'prisma', app, 'migrations/29990101000000_later_release');
    mkdirSync(migration);
    writeFileSync(join(migration, 'migration.sql'), header + laterMigrations[app]);
    writeFileSync(join(folders[app], 'packages/queue/sql/999_later_release.sql'), header + laterMigrations.queue);
  }
  return { version: 'next', folders };
}
