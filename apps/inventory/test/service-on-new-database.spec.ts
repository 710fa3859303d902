import { createDatabase } from '@switchboard/database';
import { createLogger } from '@switchboard/platform';
import { hashFoldersContent, openTestDatabase } from '@switchboard/testing';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import {
  migrateInventoryDatabase,
  migrationsFolder,
  MissingRightError,
  requireSuitableDatabase,
} from '../src/migrate.js';

const newDatabase = async () =>
  openTestDatabase({
    name: 'inventorynew',
    hash: await hashFoldersContent(migrationsFolder),
    prepare: (url) => migrateInventoryDatabase(url, () => undefined),
  });

it('migrate creates the seven module type profiles', async () => {
  const { url, release } = await newDatabase();
  const logger = createLogger({ level: 'silent', name: 'inventory' });
  const database = createDatabase({ url, max: 1, applicationName: 'inventory-tests', logger, slowQueryMs: 60_000 });
  const { rows } = await database.query<{ name: string; properties: number }>(
    `SELECT name, (SELECT count(*)::int FROM jsonb_object_keys(schema -> 'properties')) AS properties
     FROM dcim_moduletypeprofile ORDER BY name`,
  );
  await database.close();
  await release();
  expect(rows.map(({ name, properties }) => [name, properties])).toEqual([
    ['CPU', 3],
    ['Expansion card', 2],
    ['Fan', 1],
    ['GPU', 3],
    ['Hard disk', 3],
    ['Memory', 4],
    ['Power supply', 4],
  ]);
});

describe('requireSuitableDatabase', () => {
  it('throws MissingRightError with the missing GRANT when the role may not create temporary tables', async () => {
    const { url, release } = await newDatabase();
    const pool = new pg.Pool({ connectionString: url, max: 1 });
    const name = decodeURIComponent(new URL(url).pathname.slice(1));
    await pool.query(`DROP ROLE IF EXISTS inventory_without_temporary; CREATE ROLE inventory_without_temporary;
      REVOKE TEMPORARY ON DATABASE "${name}" FROM PUBLIC`);
    const asRole = new URL(url);
    asRole.searchParams.set('options', '-c role=inventory_without_temporary');
    const grant = new RegExp(`GRANT TEMPORARY ON DATABASE "?${name}"? TO inventory_without_temporary`);
    try {
      const checking = requireSuitableDatabase(asRole.href);
      await expect(checking).rejects.toThrow(MissingRightError);
      await expect(checking).rejects.toThrow(grant);
    } finally {
      await pool.query(`GRANT TEMPORARY ON DATABASE "${name}" TO PUBLIC;
        DROP OWNED BY inventory_without_temporary; DROP ROLE inventory_without_temporary`);
      await pool.end();
      await release();
    }
  });
});
