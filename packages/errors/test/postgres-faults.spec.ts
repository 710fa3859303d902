import { PrismaPg } from '@prisma/adapter-pg';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isRetryableTransactionError, convertErrorToDatabaseFault } from '../src/index.js';

const server = process.env['TEST_POSTGRES_URL'] ?? '';
const schema = `errors_test_${process.pid}`;
const pool = new pg.Pool({ connectionString: server, max: 4, options: `-c search_path=${schema}` });

beforeAll(async () => {
  await pool.query(`CREATE SCHEMA ${schema}`);
  await pool.query(`
    CREATE TABLE site (
      id int PRIMARY KEY,
      slug varchar(4) NOT NULL CONSTRAINT site_slug_key UNIQUE,
      units int CONSTRAINT site_units_check CHECK (units > 0),
      hours int4range, CONSTRAINT site_hours_excl EXCLUDE USING gist (hours WITH &&));
    CREATE TABLE rack (
      id int PRIMARY KEY,
      site_id int NOT NULL CONSTRAINT rack_site_id_fkey REFERENCES site ON DELETE RESTRICT,
      name text, CONSTRAINT rack_site_id_name_key UNIQUE (site_id, name));
    INSERT INTO site VALUES (1, 'a', 1, '[1,5)'), (2, 'b', 1, NULL);
    INSERT INTO rack VALUES (1, 1, 'r');
  `);
});

const prisma = new PrismaPg(pool);

afterAll(async () => {
  await pool.query(`DROP SCHEMA ${schema} CASCADE`);
  await pool.end();
});

async function failureOf(work: Promise<unknown>): Promise<unknown> {
  return work.then(
    () => undefined,
    (error: unknown) => error,
  );
}

const faults = [
  ["INSERT INTO site VALUES (9, 'a')", { kind: 'unique', constraint: 'site_slug_key', columns: ['slug'] }],
  ["INSERT INTO rack VALUES (9, 1, 'r')", { kind: 'unique', columns: ['site_id', 'name'] }],
  ["INSERT INTO rack VALUES (9, 9, 'x')", { kind: 'foreign_key', constraint: 'rack_site_id_fkey' }],
  ['DELETE FROM site WHERE id = 1', { kind: 'foreign_key', constraint: 'rack_site_id_fkey' }],
  ["INSERT INTO site VALUES (9, 'c', 0)", { kind: 'check', constraint: 'site_units_check', table: 'site' }],
  ['INSERT INTO site VALUES (9, NULL)', { kind: 'not_null', table: 'site', column: 'slug' }],
  ["INSERT INTO site VALUES (9, 'c', 1, '[2,3)')", { kind: 'exclusion', constraint: 'site_hours_excl' }],
  ["INSERT INTO site VALUES (9, 'too long')", { kind: 'value' }],
  ["INSERT INTO site VALUES (99999999999, 'c')", { kind: 'value' }],
  ["SELECT 'x'::int", { kind: 'value' }],
  ["SELECT '300.1.1.1'::inet", { kind: 'value' }],
] as const;

describe('convertErrorToDatabaseFault with errors of a real PostgreSQL', () => {
  it.each(faults)('maps to the right kind: %s', async (sql, expected) => {
    expect(convertErrorToDatabaseFault(await failureOf(pool.query(sql)))).toMatchObject(expected);
  });

  it('maps a NUL in a text to an invalid value', async () => {
    const error = await failureOf(pool.query('SELECT $1::text', ['a\0b']));
    expect(convertErrorToDatabaseFault(error)?.kind).toBe('value');
  });

  it('maps a missing table to null, as a programming error', async () => {
    expect(convertErrorToDatabaseFault(await failureOf(pool.query('SELECT * FROM nowhere')))).toBeNull();
  });

  it.each(faults)("maps errors of Prisma's driver adapter: %s", async (sql, expected) => {
    const adapter = await prisma.connect();
    const error = await failureOf(adapter.executeRaw({ sql, args: [], argTypes: [] }));
    await adapter.dispose();
    expect(convertErrorToDatabaseFault(error)?.kind).toBe(expected.kind);
  });

  it('marks a serialization failure as retryable', async () => {
    const [first, second] = [await pool.connect(), await pool.connect()];
    await first.query('BEGIN ISOLATION LEVEL REPEATABLE READ');
    await first.query('SELECT * FROM site');
    await second.query('UPDATE site SET units = 2 WHERE id = 2');
    const error = await failureOf(first.query('UPDATE site SET units = 3 WHERE id = 2'));
    first.release(true);
    second.release();
    expect(convertErrorToDatabaseFault(error)?.kind).toBe('serialization');
    expect(isRetryableTransactionError(error)).toBe(true);
  });

  it('marks a deadlock as retryable', async () => {
    const [first, second] = [await pool.connect(), await pool.connect()];
    for (const client of [first, second]) {
      await client.query('BEGIN');
      await client.query("SET LOCAL deadlock_timeout = '50ms'");
    }
    await first.query('SELECT * FROM site WHERE id = 1 FOR UPDATE');
    await second.query('SELECT * FROM site WHERE id = 2 FOR UPDATE');
    // The client that fails rolls back, so that the other one can continue.
    const lockAndLeave = async (client: pg.PoolClient, id: number): Promise<unknown> => {
      const error = await failureOf(client.query('SELECT * FROM site WHERE id = $1 FOR UPDATE', [id]));
      await client.query('ROLLBACK');
      return error;
    };
    const errors = await Promise.all([lockAndLeave(first, 2), lockAndLeave(second, 1)]);
    first.release();
    second.release();
    const victim = errors.find((error) => error !== undefined);
    expect(convertErrorToDatabaseFault(victim)?.kind).toBe('deadlock');
    expect(isRetryableTransactionError(victim)).toBe(true);
  });

  it('maps a lock that is not released within lock_timeout to a timeout', async () => {
    const [first, second] = [await pool.connect(), await pool.connect()];
    await first.query('BEGIN; SELECT * FROM site WHERE id = 1 FOR UPDATE');
    await second.query("BEGIN; SET LOCAL lock_timeout = '20ms'");
    const error = await failureOf(second.query('SELECT * FROM site WHERE id = 1 FOR UPDATE'));
    for (const client of [first, second]) {
      await client.query('ROLLBACK');
      client.release();
    }
    expect(convertErrorToDatabaseFault(error)?.kind).toBe('timeout');
  });

  it('returns the kind `unavailable` for a connection that the server ended', async () => {
    const client = await pool.connect();
    client.on('error', () => {});
    const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
    const sleeping = failureOf(client.query('SELECT pg_sleep(5)'));
    await pool.query('SELECT pg_terminate_backend($1)', [rows[0]?.pid]);
    expect(convertErrorToDatabaseFault(await sleeping)?.kind).toBe('unavailable');
    expect(convertErrorToDatabaseFault(await failureOf(client.query('SELECT 1')))?.kind).toBe('unavailable');
    client.release(true);
  });

  it('returns the kind `unavailable` when no server is running', async () => {
    const error = await failureOf(new pg.Client('postgres://nobody@127.0.0.1:1/none').connect());
    expect(convertErrorToDatabaseFault(error)?.kind).toBe('unavailable');
  });
});
