import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Calls that open a connection to PostgreSQL outside the pool of a process. */
const opening = /new pg\.(Client|Pool)\(|(openMigrationConnection|openUnpooledConnection|connectIfDatabaseExists)\(/;

/** Files that open connections before the pool is used: migrations, their state, and checks of the server. */
const usedAtStart = [
  'apps/inventory/src/migrate.ts',
  'packages/database/src/check-database-connection.ts',
  'packages/database/src/migrations/apply-migrations.ts',
  'packages/database/src/migrations/connect-for-migrations.ts',
  'packages/database/src/migrations/migration-status.ts',
];

/** Files that open one connection each while the process runs. */
const usedWhileRunning = [
  'packages/database/src/changes-since/change-checks.ts',
  'packages/database/src/vacuum-changed-tables.ts',
];

/** Folders of commands, which run in processes that serve nothing. */
const usedByCommands = ['packages/database/src/backup/', 'packages/queue/src/command-line/'];

describe('formula for max_connections in docs/operate/processes.md', () => {
  it('counts every connection that a process opens outside its pool', () => {
    const sources = ['apps', 'packages'].flatMap((group) =>
      readdirSync(join(root, group)).flatMap((name) =>
        readdirSync(join(root, group, name, 'src'), { recursive: true, encoding: 'utf8' })
          .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
          .map((file) => join(group, name, 'src', file)),
      ),
    );
    const inServices = sources.filter((file) => !/^packages\/(testing|local-services)\//.test(file));
    const inProcesses = inServices.filter((file) => !usedByCommands.some((folder) => file.startsWith(folder)));
    const found = inProcesses.filter((file) => opening.test(read(file)));
    expect(found.toSorted()).toEqual([...usedAtStart, ...usedWhileRunning].toSorted());
    const [, count] =
      /\(DATABASE_POOL_SIZE \+ (\d+)\) \* \(PROCESSES \+ 1\)/.exec(read('docs/operate/processes.md')) ?? [];
    expect(Number(count)).toBe(usedWhileRunning.length);
  });
});
