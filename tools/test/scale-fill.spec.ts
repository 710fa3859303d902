import { randomUUID } from 'node:crypto';
import { getTestServerAddresses, selectCases } from '@switchboard/testing';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { chatScaleTest } from '../../bench/src/scale/chat/index.js';
import { requireNamedOperationsExist } from '../../bench/src/scale/measured-figures.js';
import { fillDatabase } from '../../bench/src/scale/fill-database.js';
import { inventoryScaleTest } from '../../bench/src/scale/inventory/index.js';
import { secretEnvironmentVariables } from '../../bench/src/scale/benchmark-secrets.js';
import { runAdminCommand } from '../../bench/src/benchmark-services.js';

const name = (app: string): string => `scale_${app}_${randomUUID().replaceAll('-', '')}`;
const apps = [
  { app: chatScaleTest, database: name('chat'), interruptedAfter: ', user_messages:', last: 'user_messages' },
  {
    app: inventoryScaleTest,
    database: name('inventory'),
    interruptedAfter: ', dcim_interface:',
    last: 'dcim_interface',
  },
];
const { postgresUrl, redisUrl } = getTestServerAddresses();

function urlOf(database: string): string {
  const url = new URL(postgresUrl);
  url.pathname = `/${database}`;
  return url.href;
}

const server = new pg.Client({ connectionString: postgresUrl });

beforeAll(() => server.connect());
afterAll(async () => {
  for (const { database } of apps) await server.query(`DROP DATABASE IF EXISTS ${database} WITH (FORCE)`);
  await server.end();
});

const definitions = `
  SELECT pg_get_indexdef(indexrelid) AS definition FROM pg_index
  WHERE indrelid IN (SELECT oid FROM pg_class WHERE relnamespace = 'public'::regnamespace)
  UNION ALL SELECT conrelid::regclass || ' ' || conname || ' ' || pg_get_constraintdef(oid) FROM pg_constraint
  WHERE connamespace = 'public'::regnamespace ORDER BY 1`;

const filledApps = selectCases(apps, ({ app }) => app.name === 'inventory');

describe.each(filledApps)('fillDatabase: $app.name', ({ app, database, interruptedAfter, last }) => {
  it('restores every key, index and constraint after an interruption', async () => {
    const url = urlOf(database);
    const env = {
      ...secretEnvironmentVariables,
      NODE_ENV: 'production',
      DATABASE_URL: url,
      REDIS_URL: redisUrl,
      REDIS_KEY_PREFIX: database,
    };
    for (const args of app.preparation.slice(0, 1)) runAdminCommand(app.name, env, args);
    const client = new pg.Client({ connectionString: url });
    await client.connect();
    try {
      const read = async (): Promise<unknown[]> => (await client.query(definitions)).rows;
      const before = await read();
      const interrupted = fillDatabase(url, app, 'small', (line) => {
        if (line.includes(interruptedAfter)) throw new Error('interrupted');
      });
      await expect(interrupted).rejects.toThrow('interrupted');
      const steps: string[] = [];
      await fillDatabase(url, app, 'small', (line) => steps.push(line));
      expect(steps.filter((step) => step.includes(`, ${last}:`))).toEqual([]);
      expect(steps.length).toBeGreaterThan(5);
      const own = (rows: unknown[]): unknown[] => rows.filter((row) => !JSON.stringify(row).includes('scale.'));
      expect(own(await read())).toEqual(own(before));
    } finally {
      await client.end();
    }
  });
});

it.each(apps)('requireOperations accepts the figures of $app.name, which name only existing operations', ({ app }) => {
  const names = app.operations.map((operation) => operation.name);
  expect(() => requireNamedOperationsExist(app.figures, names)).not.toThrow();
});
