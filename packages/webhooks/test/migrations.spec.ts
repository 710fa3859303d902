import { readdirSync } from 'node:fs';
import { applyQueueMigrations, QueueMigrationError, QueueUsageError } from '@switchboard/queue';
import { openTestDatabase, type TestDatabase } from '@switchboard/testing';
import pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { applyWebhookMigrations, webhookMigrationSql, webhookMigrationStatus } from '../src/index.js';

const files = readdirSync(new URL('../sql/', import.meta.url)).toSorted();

let database: TestDatabase;
let pool: pg.Pool;

beforeEach(async () => {
  database = await openTestDatabase({
    name: 'webhooks_empty',
    hash: 'empty',
    unused: true,
    prepare: () => Promise.resolve(),
  });
  pool = new pg.Pool({ connectionString: database.url });
});
afterEach(async () => {
  await pool.end();
  await database.release();
});

/** Returns the columns and indexes of a PostgreSQL schema, without the name of the schema. */
async function describeSchema(schema: string): Promise<string[]> {
  const { rows } = await pool.query<{ line: string }>(
    `SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || coalesce(column_default, '') AS line
       FROM information_schema.columns WHERE table_schema = $1
     UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = $1 ORDER BY line`,
    [schema],
  );
  return rows.map(({ line }) => line.replaceAll(`${schema}.`, ''));
}

describe('applyWebhookMigrations', () => {
  it('applies each file once in concurrent processes, and leaves the tables of the queue unchanged', async () => {
    await applyQueueMigrations(pool);
    const results = await Promise.all(Array.from({ length: 5 }, () => applyWebhookMigrations(pool)));
    expect(results.filter(({ applied }) => applied.length > 0)).toEqual([{ applied: files }]);
    expect(await webhookMigrationStatus(pool)).toMatchObject({ pending: [], unknown: [], edited: [] });
    expect(await applyQueueMigrations(pool)).toEqual({ applied: [] });
  });

  it('creates the same tables in another schema', async () => {
    await applyWebhookMigrations(pool);
    await applyWebhookMigrations(pool, { schema: 'orders_webhooks' });
    expect((await describeSchema('webhooks')).length).toBeGreaterThan(20);
    expect(await describeSchema('orders_webhooks')).toEqual(await describeSchema('webhooks'));
  });

  it('refuses an edited file and a schema name that is no identifier', async () => {
    await applyWebhookMigrations(pool);
    await pool.query("UPDATE webhooks.migrations SET checksum = 'another' WHERE version = 1");
    await expect(applyWebhookMigrations(pool)).rejects.toThrow(QueueMigrationError);
    await expect(applyWebhookMigrations(pool)).rejects.toThrow(`Webhook migration ${files[0]} was edited`);
    await expect(applyWebhookMigrations(pool, { schema: 'public' })).rejects.toThrow(QueueUsageError);
    await expect(webhookMigrationStatus(pool, { schema: 'a; b' })).rejects.toThrow(QueueUsageError);
  });
});

describe('webhookMigrationSql', () => {
  it('creates the tables, and records the migration files as applied', async () => {
    for (const { sql } of await webhookMigrationSql()) await pool.query(sql);
    expect(await applyWebhookMigrations(pool)).toEqual({ applied: [] });
  });
});
