import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { DatabaseInspection } from '../src/index.js';
import { createScratchDatabase, dropScratchDatabase } from './temporary-database.js';

const role = `inspected_${process.pid}`;
let url: string;
let owner: pg.Client;
let inspection: DatabaseInspection;
let roleInspection: DatabaseInspection;

beforeAll(async () => {
  url = await createScratchDatabase();
  owner = new pg.Client(url);
  await owner.connect();
  await owner.query(`
    CREATE TABLE orders (id serial PRIMARY KEY, name text);
    CREATE TABLE order_migrations (name text);
    CREATE SCHEMA foreigners;
    CREATE TABLE foreigners.guests (id int);
    CREATE ROLE ${role} CONNECTION LIMIT 7`);
  inspection = new DatabaseInspection(url);
  const roleUrl = new URL(url);
  roleUrl.searchParams.set('options', `-c role=${role}`);
  roleInspection = new DatabaseInspection(roleUrl.href);
});
afterAll(async () => {
  await owner.query(`DROP OWNED BY ${role}; DROP ROLE ${role}`);
  await owner.end();
  await dropScratchDatabase(url);
});

describe('DatabaseInspection.readServer', () => {
  it('returns the version, and the limit of the server or of the role', async () => {
    const { rows } = await owner.query<{ max: number }>(`SELECT current_setting('max_connections')::int AS max`);
    const server = await inspection.readServer();
    expect((await roleInspection.readServer()).clusterId).toBe(server.clusterId);
    expect(server).toMatchObject({ database: new URL(url).pathname.slice(1), connectionLimit: rows[0]?.max });
    expect(Number.parseInt(server.version, 10)).toBe(server.majorVersion);
    expect((await roleInspection.readServer()).connectionLimit).toBe(7);
  });
});

describe('DatabaseInspection.listMissingGrants', () => {
  it('returns statements for the given schemas, until the owner has run them', async () => {
    expect(await inspection.listMissingGrants(['public'])).toEqual([]);
    const grants = await roleInspection.listMissingGrants(['public']);
    expect(grants).toEqual([
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
      `GRANT USAGE, SELECT, UPDATE ON ALL SEQUENCES IN SCHEMA public TO ${role}`,
      `GRANT MAINTAIN ON ALL TABLES IN SCHEMA public TO ${role}`,
    ]);
    await owner.query(grants.join(';'));
    expect(await roleInspection.listMissingGrants(['public'])).toEqual([]);
    // The role that migrates writes this table.
    await owner.query(`REVOKE INSERT, UPDATE, DELETE ON order_migrations FROM ${role}`);
    expect(await roleInspection.listMissingGrants(['public'])).toEqual([]);
    expect(await roleInspection.listMissingGrants(['foreigners'])).toEqual([
      `GRANT USAGE ON SCHEMA foreigners TO ${role}`,
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA foreigners TO ${role}`,
      `GRANT MAINTAIN ON ALL TABLES IN SCHEMA foreigners TO ${role}`,
    ]);
  });
});

describe('DatabaseInspection.listUnownedObjects', () => {
  it('returns the tables, sequences, views and functions of other owners', async () => {
    await owner.query(`
      CREATE VIEW order_names AS SELECT name FROM orders;
      CREATE FUNCTION count_orders() RETURNS bigint LANGUAGE sql AS 'SELECT count(*) FROM orders'`);
    expect(await inspection.listUnownedObjects(['public'])).toEqual([]);
    expect(await roleInspection.listUnownedObjects(['public'])).toEqual([
      'public.count_orders()',
      'public.order_migrations',
      'public.order_names',
      'public.orders',
      'public.orders_id_seq',
    ]);
    expect(await roleInspection.listMissingGrants(['public'])).toEqual([
      `GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA public TO ${role}`,
    ]);
  });
});

describe('DatabaseInspection.listMissingMigrationGrants', () => {
  it('returns statements for schemas that do not exist, and for schemas in which the role may create no table', async () => {
    expect(await inspection.listMissingMigrationGrants(['public', 'absent'])).toEqual([]);
    const grants = await roleInspection.listMissingMigrationGrants(['public', 'absent']);
    expect(grants).toEqual([
      `GRANT CREATE ON DATABASE "${new URL(url).pathname.slice(1)}" TO ${role}`,
      `GRANT CREATE ON SCHEMA public TO ${role}`,
    ]);
    await owner.query(grants.join(';'));
    expect(await roleInspection.listMissingMigrationGrants(['public', 'absent'])).toEqual([]);
  });
});

describe('DatabaseInspection.listMissingExtensions', () => {
  it('returns missing extensions, and whether the server has their files', async () => {
    expect(await inspection.listMissingExtensions(['plpgsql', 'no_such_extension', 'pg_trgm'])).toEqual([
      { name: 'no_such_extension', isAvailable: false },
      { name: 'pg_trgm', isAvailable: true },
    ]);
  });
});

describe('DatabaseInspection.listChangedCollations', () => {
  it('returns a collation with its indexes when its version differs, until the version is refreshed', async () => {
    await owner.query(`
      CREATE COLLATION numeric_order (provider = icu, locale = 'en-u-kn-true');
      CREATE INDEX orders_by_name ON orders (name COLLATE numeric_order)`);
    expect(await inspection.listChangedCollations()).toEqual([]);
    const { rows } = await owner.query<{ actual: string }>(
      `WITH former AS (SELECT oid, collversion FROM pg_collation WHERE collname = 'numeric_order')
       UPDATE pg_collation SET collversion = '1.2' FROM former WHERE pg_collation.oid = former.oid
       RETURNING former.collversion AS actual`,
    );
    expect(await inspection.listChangedCollations()).toEqual([
      {
        name: 'public.numeric_order',
        storedVersion: '1.2',
        actualVersion: rows[0]?.actual,
        indexes: ['public.orders_by_name'],
        refreshStatement: 'ALTER COLLATION public.numeric_order REFRESH VERSION',
      },
    ]);
    await owner.query('REINDEX INDEX CONCURRENTLY public.orders_by_name');
    await owner.query('ALTER COLLATION public.numeric_order REFRESH VERSION');
    expect(await inspection.listChangedCollations()).toEqual([]);
  });
});

describe('DatabaseInspection.readClockDifference', () => {
  it('returns the time of the server minus the time of this machine', async () => {
    const behind = new DatabaseInspection(url, () => Date.now() - 3_600_000);
    expect(Math.round((await behind.readClockDifference()) / 3_600_000)).toBe(1);
  });
});
