import { readdirSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';
import type pg from 'pg';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import {
  applyQueueMigrations,
  QueueMigrationError,
  createQueueMigrationScript,
  listQueueMigrationSql,
  readQueueMigrationStatus,
  QueueUsageError,
} from '../src/index.js';
import { testPool } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;

const files = readdirSync(new URL('../sql/', import.meta.url)).toSorted();

beforeEach(async () => {
  ({ pool, drop } = await testPool());
});
afterEach(() => drop());

it('applyQueueMigrations applies each file once, in order, with ten concurrent processes', async () => {
  await pool.query('DROP SCHEMA queue CASCADE');
  const results = await Promise.all(Array.from({ length: 10 }, () => applyQueueMigrations(pool)));
  const applied = results.filter((result) => result.applied.length > 0);
  expect(applied).toEqual([{ applied: files }]);
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM queue.migrations ORDER BY version');
  expect(rows.map(({ name }) => name)).toEqual(files);
});

it.each([
  ["UPDATE queue.migrations SET checksum = 'another' WHERE version = 1", `${files[0]} was edited after it was applied`],
  ["INSERT INTO queue.migrations VALUES (999, '999_later.sql', '')", '999_later.sql, which this version'],
])('applyQueueMigrations rejects a database that does not match the files: %s', async (change, message) => {
  await pool.query(change);
  const state = async (): Promise<unknown[]> =>
    (await pool.query('SELECT * FROM queue.migrations ORDER BY version')).rows;
  const before = await state();
  const refused = applyQueueMigrations(pool);
  await expect(refused).rejects.toThrow(QueueMigrationError);
  await expect(refused).rejects.toThrow(message);
  expect(await state()).toEqual(before);
});

it('applyQueueMigrations takes no lock when no migration is pending', async () => {
  const holder = await pool.connect();
  await holder.query('SELECT pg_advisory_lock(72707370)');
  await holder.query('CREATE ROLE queue_reader NOLOGIN');
  await holder.query('GRANT USAGE ON SCHEMA queue TO queue_reader; GRANT SELECT ON queue.migrations TO queue_reader');
  const reader = await pool.connect();
  await reader.query('SET ROLE queue_reader');
  const asReader = {
    query: pool.query.bind(pool),
    connect: async () => ({ ...lendClient(reader), release: () => {} }),
  };
  expect(await applyQueueMigrations(asReader)).toEqual({ applied: [] });
  await reader.query('RESET ROLE');
  await holder.query('DROP OWNED BY queue_reader; DROP ROLE queue_reader; SELECT pg_advisory_unlock(72707370)');
  reader.release();
  holder.release();
});

const lendClient = (client: pg.PoolClient) => ({
  query: async <R>(sql: string, params?: unknown[]) => ({ rows: (await client.query(sql, params)).rows as R[] }),
});

it('applyQueueMigrations throws after the lock timeout, and names the session that has the lock', async () => {
  await pool.query('DROP SCHEMA queue CASCADE');
  const holder = await pool.connect();
  await holder.query("SET application_name = 'a forgotten session'");
  const { rows } = await holder.query<{ pid: number }>('SELECT pg_backend_pid() AS pid, pg_advisory_lock(72707370)');
  const refused = applyQueueMigrations(pool, { lockTimeoutMs: 200 });
  await expect(refused).rejects.toThrow(QueueMigrationError);
  await expect(refused).rejects.toThrow(
    new RegExp(`process ${rows[0]?.pid} \\(application "a forgotten session", open for \\d+ s\\)`),
  );
  await holder.query('SELECT pg_advisory_unlock(72707370)');
  holder.release();
  expect(await applyQueueMigrations(pool)).toEqual({ applied: files });
});

it('applyQueueMigrations applies nothing when another process applies all migrations while the function waits for the lock', async () => {
  await pool.query('DROP SCHEMA queue CASCADE');
  const [slow, holder] = [await pool.connect(), await pool.connect()];
  await holder.query('SELECT pg_advisory_lock(72707370)');
  let attempts = 0;
  const query = async <R>(sql: string, params?: unknown[]): Promise<{ rows: R[] }> => {
    if (sql.includes('pg_try_advisory_xact_lock')) attempts += 1;
    // The other process commits in the middle of the second attempt, when PostgreSQL has cached in this session all
    // that the attempt looks up, also that there is no schema.
    if (attempts === 2 && sql.includes('pg_try_advisory_xact_lock')) {
      await holder.query('SELECT pg_advisory_unlock(72707370)');
      await applyQueueMigrations(pool);
    }
    return { rows: (await slow.query(sql, params)).rows as R[] };
  };
  const slowPool = { query, connect: async () => ({ query, release: () => slow.release() }) };
  expect(await applyQueueMigrations(slowPool)).toEqual({ applied: [] });
  holder.release();
});

it('applyQueueMigrations ignores the statement timeout of the session', async () => {
  await pool.query('DROP SCHEMA queue CASCADE');
  const [other, limited] = [await pool.connect(), await pool.connect()];
  await other.query('BEGIN; CREATE SCHEMA queue');
  await limited.query('SET statement_timeout = 1000');
  const pooled = { query: pool.query.bind(pool), connect: async () => ({ ...lendClient(limited), release: () => {} }) };
  // The other transaction creates the same schema, so the migration waits longer than the limit.
  const migrating = applyQueueMigrations(pooled).finally(() => limited.release(true));
  const ending = delay(1_500).then(() => other.query('ROLLBACK'));
  await expect(migrating).resolves.toEqual({ applied: files });
  await ending;
  other.release();
});

describe('applyQueueMigrations with a schema', () => {
  it.each(['', 'Orders', 'orders; DROP TABLE things', 'pg_orders', 'public', 'a'.repeat(64)])(
    'rejects the schema name "%s"',
    async (schema) => {
      await expect(applyQueueMigrations(pool, { schema })).rejects.toThrow(QueueUsageError);
      await expect(readQueueMigrationStatus(pool, { schema })).rejects.toThrow(QueueUsageError);
      await expect(listQueueMigrationSql({ schema })).rejects.toThrow(QueueUsageError);
    },
  );

  it('creates the same tables and functions as in the default schema queue', async () => {
    // A keyword of SQL is a valid name.
    await applyQueueMigrations(pool, { schema: 'select' });
    expect(await describeSchema('select')).toEqual(await describeSchema('queue'));
    expect(await applyQueueMigrations(pool, { schema: 'select' })).toEqual({ applied: [] });
  });

  it('applies the missing migrations to a database of an earlier version', async () => {
    const complete = await describeSchema('queue');
    await pool.query('DROP SCHEMA queue CASCADE');
    const [first, second] = await listQueueMigrationSql();
    await pool.query(first!.sql);
    await pool.query(second!.sql);
    expect(await applyQueueMigrations(pool)).toEqual({ applied: files.slice(2) });
    expect(await describeSchema('queue')).toEqual(complete);
  });

  it('lets database roles that may insert outbox rows store the prefix of the deployment', async () => {
    await pool.query('DROP SCHEMA queue CASCADE; CREATE ROLE queue_writer NOLOGIN');
    try {
      for (const { sql } of (await listQueueMigrationSql()).slice(0, 4)) await pool.query(sql);
      await pool.query(
        'GRANT USAGE ON SCHEMA queue TO queue_writer; GRANT SELECT, INSERT ON queue.outbox TO queue_writer',
      );
      await applyQueueMigrations(pool);
      await pool.query(
        "BEGIN; SET LOCAL ROLE queue_writer; INSERT INTO queue.switchboard_deployment (prefix) VALUES ('a'); COMMIT",
      );
    } finally {
      await pool.query('DROP OWNED BY queue_writer; DROP ROLE queue_writer');
    }
  });
});

/** Returns the columns, indexes and functions of a PostgreSQL schema. */
async function describeSchema(schema: string): Promise<unknown[]> {
  const { rows } = await pool.query<{ line: string }>(
    `SELECT table_name || '.' || column_name || ' ' || data_type || ' ' || coalesce(column_default, '') AS line
       FROM information_schema.columns WHERE table_schema = $1
     UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = $1
     UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = $1::regnamespace
       AND proname <> 'require_prefix'
     ORDER BY line`,
    [schema === 'queue' ? schema : `"${schema}"`].map((name) => name.replaceAll('"', '')),
  );
  return rows.map(({ line }) => line.replaceAll(`"${schema}"`, 'queue').replaceAll(`${schema}.`, 'queue.'));
}

describe('readQueueMigrationStatus', () => {
  it('lists applied, pending, unknown and edited files', async () => {
    expect(await readQueueMigrationStatus(pool, { schema: 'absent' })).toEqual({
      applied: [],
      pending: files,
      unknown: [],
      edited: [],
    });
    await pool.query("INSERT INTO queue.migrations VALUES (999, '999_later.sql', '')");
    await pool.query("UPDATE queue.migrations SET checksum = 'another' WHERE version = 1");
    await pool.query('DELETE FROM queue.migrations WHERE version = 3');
    const status = await readQueueMigrationStatus(pool);
    expect(status).toMatchObject({ pending: [files[2]], unknown: ['999_later.sql'], edited: [files[0]] });
    expect(status.applied.map(({ name }) => name)).toEqual([...files.toSpliced(2, 1), '999_later.sql']);
    expect(Math.abs(Date.now() - status.applied[0]!.appliedAt.getTime())).toBeLessThan(600_000);
  });
});

describe('listQueueMigrationSql and createQueueMigrationScript', () => {
  it.each(['one file after the other', 'as one script'])('create the tables and record the files, %s', async (way) => {
    const schema = 'orders_queue';
    if (way === 'as one script') await pool.query(await createQueueMigrationScript({ schema }));
    else for (const { sql } of await listQueueMigrationSql({ schema })) await pool.query(sql);
    expect(await describeSchema(schema)).toEqual(await describeSchema('queue'));
    expect(await applyQueueMigrations(pool, { schema })).toEqual({ applied: [] });
    expect((await listQueueMigrationSql({ schema })).map(({ name }) => name)).toEqual(files);
  });
});
