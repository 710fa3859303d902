import { createDatabase } from '@switchboard/database';
import { createLogger } from '@switchboard/platform';
import { hashFolder, testDatabase } from '@switchboard/testing';
import { expect, it } from 'vitest';
import { migrate, migrationsFolder } from '../src/migrate.js';

it('begins a new database with the seven module type profiles', async () => {
  const prepare = (url: string): Promise<void> => migrate(url, () => undefined);
  const { url, release } = await testDatabase({
    name: 'inventorynew',
    hash: await hashFolder(migrationsFolder),
    prepare,
  });
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
