import { readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { describe, expect, it } from 'vitest';

const root = resolve(import.meta.dirname, '../..');
const read = (path: string): string => readFileSync(join(root, path), 'utf8');

/** Regular expression of calls that open a PostgreSQL connection outside the connection pool of a process. */
const opening = /new pg\.(Client|Pool)\(|(openMigrationConnection|openUnpooledConnection|connectIfDatabaseExists)\(/;

/**
 * Paths of files that open PostgreSQL connections before the connection pool is used. These files run migrations, read
 * the state of migrations, or check the server.
 */
const usedAtStart = [
  'apps/inventory/src/migrate.ts',
  'packages/database/src/check-database-connection.ts',
  'packages/database/src/migrations/apply-migrations.ts',
  'packages/database/src/migrations/connect-for-migrations.ts',
  'packages/database/src/migrations/migration-status.ts',
];

/** Paths of files that each open one PostgreSQL connection while the process runs. */
const usedWhileRunning = [
  'packages/database/src/changes-since/change-checks.ts',
  'packages/database/src/vacuum-changed-tables.ts',
];

/** Paths of folders with commands. Commands run in separate processes that serve no requests. */
const usedByCommands = [
  'packages/database/src/backup/',
  'packages/database/src/installation/',
  'packages/queue/src/command-line/',
];

describe('formula for max_connections in docs/operate/processes.md', () => {
  it('includes every connection that a process opens outside its pool', () => {
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
