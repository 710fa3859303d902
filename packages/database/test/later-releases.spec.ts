import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyMigrations, readMigrationStatus, type CurrentAndPreviousRelease } from '../src/index.js';
import { MigrationsFolder } from './migrations-folder.js';
import { createScratchDatabase, dropScratchDatabase, failureOf } from './temporary-database.js';

const known = '20260101000000_known';
const between = '20260101120000_between';
const later = '20260102000000_later';
const latest = '20260103000000_latest';

let url: string;
let folder: MigrationsFolder;
let log: string[];

beforeEach(async () => {
  url = await createScratchDatabase();
  log = [];
  folder = await MigrationsFolder.create();
  await folder.write(known, 'CREATE TABLE one (id int);');
});

afterEach(async () => {
  await dropScratchDatabase(url);
  await folder.delete();
});

const applyAs = (version: string, previous = '0.1.0') =>
  applyMigrations({ url, folder: folder.path, log: (line) => log.push(line), release: { version, previous } });

const statusAs = (release?: CurrentAndPreviousRelease) => readMigrationStatus({ url, folder: folder.path, release });

/**
 * Applies the migration `later` as the given release. Then removes the migration's file, so that the folder looks like
 * the folder of an earlier release.
 */
async function applyLater(sql: string, version: string, previous = '0.1.0'): Promise<void> {
  await folder.write(later, sql);
  await applyAs(version, previous).catch(() => undefined);
  await folder.remove(later);
}

async function query(sql: string): Promise<unknown[]> {
  const client = new pg.Client(url);
  await client.connect();
  const { rows } = await client.query<object>(sql);
  await client.end();
  return rows;
}

describe('applyMigrations in a database with migrations of a later release', () => {
  it('accepts a migration whose file names the running release as the oldest compatible release', async () => {
    await applyLater('-- Oldest release: 0.2.0\nCREATE TABLE two (id int);', '0.4.0', '0.3.0');
    expect(await applyAs('0.2.0')).toEqual({ applied: [] });
  });

  it('applies a pending migration whose name sorts before migrations of the later release', async () => {
    await applyLater('-- Oldest release: 0.2.0\nCREATE TABLE two (id int);', '0.4.0', '0.3.0');
    await folder.write(between, 'CREATE TABLE between_both (id int);');
    expect(await statusAs({ version: '0.3.1', previous: '0.3.0' })).toMatchObject({
      pending: [between],
      unknown: [later],
    });
    expect(await applyAs('0.3.1', '0.3.0')).toEqual({ applied: [between] });
  });

  it('refuses to run when the release is older than the oldest compatible release, and names both versions', async () => {
    await applyLater('-- Oldest release: 0.10.0\nCREATE TABLE two (id int);', '0.10.0', '0.9.0');
    const failure = await failureOf(applyAs('0.9.0'));
    expect(failure).toMatchObject({ name: 'MigrationError', fault: 'outdated', migration: later });
    expect(String(failure)).toMatch(/needs release 0\.10\.0 or later\. This is release 0\.9\.0/);
  });

  it('accepts the previous release of a migration whose file names no oldest compatible release', async () => {
    await applyLater('CREATE TABLE two (id int);', '0.3.0', '0.2.0');
    expect(await applyAs('0.2.0')).toEqual({ applied: [] });
    expect(await failureOf(applyAs('0.1.9'))).toMatchObject({ fault: 'outdated' });
  });

  it('names the migration that requires the newest release when several migrations exclude the running release', async () => {
    await folder.write(later, '-- Oldest release: 0.3.0\nSELECT 1');
    await folder.write(latest, '-- Oldest release: 0.2.0\nSELECT 1');
    await applyAs('0.3.0');
    await folder.remove(later);
    await folder.remove(latest);
    expect(await failureOf(applyAs('0.1.0'))).toMatchObject({ fault: 'outdated', migration: later });
    expect(await failureOf(applyAs('0.2.0'))).toMatchObject({ fault: 'outdated', migration: later });
    expect(await applyAs('0.3.0')).toEqual({ applied: [] });
  });

  it('refuses to run when the database stores no oldest compatible release for a migration', async () => {
    await applyLater('SELECT 1', '0.2.0');
    await query('DELETE FROM switchboard_migrations.oldest_releases');
    expect(await failureOf(applyAs('9.0.0'))).toMatchObject({ fault: 'missing', migration: later });
    await query('DROP SCHEMA switchboard_migrations CASCADE');
    expect(await failureOf(applyAs('9.0.0'))).toMatchObject({ fault: 'missing', migration: later });
  });

  it('accepts a failed migration if the running release is new enough, and otherwise refuses to run', async () => {
    await applyLater('-- Oldest release: 0.1.0\nSELECT * FROM nowhere', '0.2.0');
    expect(await applyAs('0.1.0')).toEqual({ applied: [] });
    await query(`UPDATE switchboard_migrations.oldest_releases SET oldest_release = '0.2.0'`);
    expect(await failureOf(applyAs('0.1.0'))).toMatchObject({ fault: 'outdated' });
  });

  it('refuses a migration that a later release is applying and whose result needs that release', async () => {
    await applyLater('-- Oldest release: 0.2.0\nSELECT pg_terminate_backend(pg_backend_pid())', '0.2.0');
    expect(await query(`SELECT finished_at, logs FROM _prisma_migrations WHERE migration_name = '${later}'`)).toEqual([
      { finished_at: null, logs: null },
    ]);
    expect(await failureOf(applyAs('0.1.0'))).toMatchObject({ fault: 'outdated', migration: later });
  });

  it('stores the oldest release before the migration runs', async () => {
    await folder.write(later, 'CREATE TABLE seen AS SELECT * FROM switchboard_migrations.oldest_releases');
    await applyAs('0.2.0');
    expect(await query('SELECT * FROM seen ORDER BY migration')).toEqual([
      { migration: known, oldest_release: '0.1.0' },
      { migration: later, oldest_release: '0.1.0' },
    ]);
  });

  it('replaces the stored oldest compatible release when a migration is applied again', async () => {
    await applyLater('-- Oldest release: 0.2.0\nSELECT * FROM nowhere', '0.2.0');
    await query(`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE finished_at IS NULL`);
    await applyLater('-- Oldest release: 0.1.0\nSELECT 1', '0.2.0');
    expect(await applyAs('0.1.0')).toEqual({ applied: [] });
  });
});

describe('readMigrations', () => {
  it.each(['0.2', 'v0.2.0', 'next', ''])('refuses a file whose oldest release is "%s"', async (version) => {
    await folder.write(later, `-- Oldest release: ${version}\nSELECT 1`);
    expect(await failureOf(applyAs('0.2.0'))).toMatchObject({ fault: 'layout', migration: later });
  });
});

describe('readMigrationStatus in a database with migrations of a later release', () => {
  it('lists unknown migrations, which are a problem for a release that is too old', async () => {
    await applyLater('-- Oldest release: 0.2.0\nSELECT 1', '0.2.0');
    const expected = { applied: [known, later], pending: [], unknown: [later], isDatabaseMissing: false };
    expect(await statusAs({ version: '0.2.0', previous: '0.1.0' })).toEqual(expected);
    expect(await statusAs({ version: '0.1.0', previous: '0.1.0' })).toMatchObject({
      ...expected,
      problem: { fault: 'outdated' },
    });
    expect(await statusAs()).toMatchObject({ ...expected, problem: { fault: 'missing' } });
  });
});
