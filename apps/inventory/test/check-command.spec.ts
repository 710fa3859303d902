import { execFile } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { requireEncryptionKeysMatchDatabase } from '@switchboard/auth';
import { type InstallationCheckFinding, runInstallationChecks } from '@switchboard/platform';
import { getTestServerAddresses } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { createInventoryChecks } from '../src/check-installation.js';
import { readConfig } from '../src/config.js';
import { getInventoryMigrations } from '../src/migrate.js';
import { inventorySecretColumns } from '../src/secrets/stored-secrets.js';
import { startInventory, type TestInventory } from './support/test-service.js';

interface Report {
  readonly state: string;
  readonly checks: readonly (InstallationCheckFinding & { readonly name: string })[];
}

let test: TestInventory;
let folder: string;
let env: Record<string, string>;

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inventory-check-'));
  test = await startInventory({ MEDIA_ROOT: folder });
  const { database, keys, config } = test.inventory;
  await requireEncryptionKeysMatchDatabase(database, keys, inventorySecretColumns);
  const { redisUrl } = getTestServerAddresses();
  env = { NODE_ENV: 'test', DATABASE_URL: config.DATABASE_URL, REDIS_URL: redisUrl, MEDIA_ROOT: folder };
});
afterAll(async () => {
  await test.close();
  await rm(folder, { recursive: true, force: true });
});

/** Runs the checks of a configuration. Returns the exit code and the findings. */
async function check(given: Record<string, string>): Promise<[number, Report['checks']]> {
  const config = readConfig({ ...env, ...given });
  const lines: string[] = [];
  const checks = createInventoryChecks(config, getInventoryMigrations(config));
  const code = await runInstallationChecks(checks, { isJson: true, print: (line) => lines.push(line) });
  return [code, (JSON.parse(lines.join('')) as Report).checks];
}

const failuresOf = (checks: Report['checks']): string[] =>
  checks.filter(({ level }) => level === 'failed').map(({ name }) => name);

describe('admin command `check`', () => {
  it('prints one JSON object for `--json` and exits with 1 when a check fails', async () => {
    const program = fileURLToPath(new URL('../dist/admin-bundle.js', import.meta.url));
    const variables = { ...env, DATABASE_POOL_SIZE: '90000', PATH: process.env['PATH'] };
    const [code, output] = await new Promise<[unknown, string]>((resolve) => {
      execFile(process.execPath, [program, 'check', '--json'], { env: variables }, (error, stdout) =>
        resolve([error?.code, stdout]),
      );
    });
    const { state, checks } = JSON.parse(output) as Report;
    expect([code, state, failuresOf(checks)]).toEqual([1, 'failed', ['connections']]);
  });

  it('passes on the database of a running service', async () => {
    const [code, checks] = await check({});
    expect([code, failuresOf(checks)]).toEqual([0, []]);
  });

  it('names the indexes to rebuild when the version of a collation has changed', async () => {
    const { database } = test.inventory;
    await database.query(
      `UPDATE pg_collation SET collversion = 'former' WHERE collname = 'natural_sort' AND collversion IS NOT NULL`,
    );
    try {
      const [code, checks] = await check({});
      expect([code, failuresOf(checks)]).toEqual([1, ['collations']]);
      const text = checks.find(({ name }) => name === 'collations')?.text;
      expect(text).toMatch(
        /natural_sort has changed from version former to .*REINDEX INDEX CONCURRENTLY for each of: /,
      );
    } finally {
      await database.query('ALTER COLLATION natural_sort REFRESH VERSION');
    }
    expect((await check({}))[0]).toBe(0);
  });

  it('fails when the folder of pictures cannot be written, and when a pepper is not configured', async () => {
    const file = join(folder, 'file');
    await writeFile(file, '');
    const pepper = `9:${randomBytes(32).toString('hex')}`;
    const [code, checks] = await check({ MEDIA_ROOT: join(file, 'media'), SECRET_PEPPERS: pepper });
    await rm(file);
    expect([code, failuresOf(checks)]).toEqual([1, ['keys', 'files']]);
    expect(checks.find(({ name }) => name === 'keys')?.text).toContain(
      'is in use in this database, but is not configured',
    );
  });
});
