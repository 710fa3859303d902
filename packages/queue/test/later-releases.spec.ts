import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { QueueMigrationError, SchemaMigrations } from '../src/index.js';
import { testPool } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let folder: string;

beforeEach(async () => {
  ({ pool, drop } = await testPool());
  folder = await mkdtemp(join(tmpdir(), 'switchboard-migrations-'));
  await writeFile(join(folder, '001_things.sql'), 'CREATE TABLE things.thing (id int);');
});

afterEach(async () => {
  await rm(folder, { recursive: true });
  await drop();
});

/** Returns the migrations of the package "things" in one of its releases. */
const release = (version: string, previous = '0.1.0') =>
  new SchemaMigrations({
    folder: pathToFileURL(`${folder}/`),
    subject: 'things',
    defaultSchema: 'things',
    release: { version, previous },
  });

/**
 * Applies a second migration in a later release, and then removes its migration file. The package then looks like an
 * earlier release.
 */
async function applyLater(sql: string, version: string, previous = '0.1.0'): Promise<void> {
  await writeFile(join(folder, '002_more.sql'), sql);
  await release(version, previous).applyPendingMigrations(pool);
  await rm(join(folder, '002_more.sql'));
}

describe('SchemaMigrations.apply in a database with migrations of a later release', () => {
  it('accepts a migration whose file names the running release as the oldest compatible release', async () => {
    await applyLater('-- Oldest release: 0.2.0\nSELECT 1;', '0.4.0', '0.3.0');
    expect(await release('0.2.0').applyPendingMigrations(pool)).toEqual({ applied: [] });
    expect(await release('0.2.0').readMigrationStatus(pool)).toMatchObject({
      unknown: ['002_more.sql'],
      problem: undefined,
    });
  });

  it('refuses to run when the release is older than the oldest compatible release, and names both versions', async () => {
    await applyLater('-- Oldest release: 0.10.0\nSELECT 1;', '0.10.0');
    const refused = release('0.9.0').applyPendingMigrations(pool);
    await expect(refused).rejects.toThrow(QueueMigrationError);
    await expect(refused).rejects.toThrow(/002_more\.sql, which needs version 0\.10\.0 .* This is version 0\.9\.0/);
    expect((await release('0.9.0').readMigrationStatus(pool)).problem).toBeInstanceOf(QueueMigrationError);
  });

  it('accepts the previous release of a migration whose file names no oldest compatible release', async () => {
    await applyLater('SELECT 1;', '0.3.0', '0.2.0');
    expect(await release('0.2.0').applyPendingMigrations(pool)).toEqual({ applied: [] });
    await expect(release('0.1.9').applyPendingMigrations(pool)).rejects.toThrow('needs version 0.2.0');
  });

  it('refuses an edited file even if all unknown migrations are acceptable', async () => {
    await applyLater('-- Oldest release: 0.1.0\nSELECT 1;', '0.2.0');
    await writeFile(join(folder, '001_things.sql'), 'CREATE TABLE things.thing (id bigint);');
    await expect(release('0.1.0').applyPendingMigrations(pool)).rejects.toThrow(
      'Things migration 001_things.sql was edited',
    );
  });

  it('refuses a file whose oldest release is no version', async () => {
    await writeFile(join(folder, '002_more.sql'), '-- Oldest release: 0.2\nSELECT 1;');
    await expect(release('0.2.0').applyPendingMigrations(pool)).rejects.toThrow('names the oldest release "0.2"');
  });
});

describe('SchemaMigrations.apply in a database of a version of the package without oldest releases', () => {
  it('adds the table of oldest compatible releases together with the next migration', async () => {
    await release('0.1.0').applyPendingMigrations(pool);
    await pool.query('DROP TABLE things.oldest_releases');
    expect(await release('0.1.0').applyPendingMigrations(pool)).toEqual({ applied: [] });
    await applyLater('SELECT 1;', '0.2.0');
    const { rows } = await pool.query('SELECT * FROM things.oldest_releases');
    expect(rows).toEqual([{ migration: '002_more.sql', oldest_release: '0.1.0' }]);
  });

  it('refuses unknown migrations', async () => {
    await applyLater('SELECT 1;', '0.2.0');
    await pool.query('DROP TABLE things.oldest_releases');
    await expect(release('9.0.0').applyPendingMigrations(pool)).rejects.toThrow('002_more.sql, which this version');
  });
});
