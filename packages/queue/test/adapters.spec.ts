import 'reflect-metadata';
import { drizzle } from 'drizzle-orm/node-postgres';
import { integer, pgTable } from 'drizzle-orm/pg-core';
import { Kysely, PostgresDialect, type ControlledTransaction, type Transaction } from 'kysely';
import knexClient, { type Knex } from 'knex';
import pg from 'pg';
import { DataSource, type EntityManager, type QueryRunner } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  applyQueueMigrations,
  fromDrizzle,
  fromKnex,
  fromKysely,
  fromPg,
  fromTypeOrm,
  Outbox,
  QueueUsageError,
} from '../src/index.js';
import { describeAdapter, describeSavepoints, type Library, type LibrarySession } from './describe-adapter.js';
import { testPool } from './queue-test-support.js';

interface Tables {
  orders: { id: number };
}

let pool: pg.Pool;
let drop: () => Promise<void>;
let knex: Knex;
let source: DataSource;
let kysely: Kysely<Tables>;

beforeAll(async () => {
  ({ pool, drop } = await testPool());
  await pool.query('CREATE TABLE orders (id int PRIMARY KEY)');
  const connectionString = pool.options.connectionString ?? '';
  knex = knexClient({ client: 'pg', connection: connectionString });
  source = await new DataSource({ type: 'postgres', url: connectionString }).initialize();
  kysely = new Kysely<Tables>({ dialect: new PostgresDialect({ pool: new pg.Pool({ connectionString }) }) });
});
afterAll(async () => {
  await Promise.all([knex.destroy(), source.destroy(), kysely.destroy()]);
  await drop();
});

const database = (): pg.Pool => pool;

const pgSession = (client: pg.PoolClient): LibrarySession => ({
  handle: () => fromPg(client),
  insert: async (id) => void (await client.query('INSERT INTO orders VALUES ($1)', [id])),
  savepoint: async (work) => {
    await client.query('SAVEPOINT here');
    try {
      await work(pgSession(client));
    } catch (error) {
      await client.query('ROLLBACK TO SAVEPOINT here');
      throw error;
    }
    await client.query('RELEASE SAVEPOINT here');
  },
});

const pgLibrary: Library = {
  transact: async (work) => {
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      await work(pgSession(client));
      await client.query('COMMIT');
    } catch (error) {
      await client.query('ROLLBACK');
      throw error;
    } finally {
      client.release();
    }
  },
  handleOutside: () => fromPg(pool),
};

describeAdapter('fromPg', database, () => pgLibrary);
describeSavepoints('fromPg', database, () => pgLibrary);

it('fromPg rejects a database client that is not in a transaction', async () => {
  const client = await pool.connect();
  await expect(fromPg(client)).rejects.toThrow(QueueUsageError);
  await client.query('BEGIN');
  const tx = await fromPg(client);
  await client.query('ROLLBACK');
  expect(tx.isOpen).toBe(false);
  client.release();
});

it('fromPg uses the schema of the option', async () => {
  await applyQueueMigrations(pool, { schema: 'shop' });
  const outbox = new Outbox({ pool, prefix: 'shop', schema: 'shop' });
  const client = await pool.connect();
  await client.query('BEGIN');
  await outbox.flush(await fromPg(client, { schema: 'shop' }));
  await client.query('COMMIT');
  await client.query('BEGIN');
  await fromPg(client, { schema: 'shop' });
  await expect(client.query('COMMIT')).rejects.toThrow('not flushed');
  client.release();
});

const orders = pgTable('orders', { id: integer().primaryKey() });
type DrizzleTx = Parameters<Parameters<ReturnType<typeof drizzle>['transaction']>[0]>[0];

const drizzleSession = (tx: DrizzleTx): LibrarySession => ({
  handle: () => fromDrizzle(tx),
  insert: async (id) => void (await tx.insert(orders).values({ id })),
  savepoint: (work) => tx.transaction((inner) => work(drizzleSession(inner))),
});

const drizzleLibrary: Library = {
  transact: (work) => drizzle({ client: pool }).transaction((tx) => work(drizzleSession(tx))),
  handleOutside: () => fromDrizzle(drizzle({ client: pool })),
};

describeAdapter('fromDrizzle', database, () => drizzleLibrary);
describeSavepoints('fromDrizzle', database, () => drizzleLibrary);

const kyselySession = (trx: Transaction<Tables>): LibrarySession => ({
  handle: () => fromKysely(trx),
  insert: async (id) => void (await trx.insertInto('orders').values({ id }).execute()),
});

const kyselyLibrary: Library = {
  transact: (work) => kysely.transaction().execute((trx) => work(kyselySession(trx))),
  handleOutside: () => fromKysely(kysely),
};

const controlledSession = (trx: ControlledTransaction<Tables>): LibrarySession => ({
  ...kyselySession(trx),
  savepoint: async (work) => {
    const inner = await trx.savepoint('here').execute();
    try {
      await work(kyselySession(inner));
    } catch (error) {
      await inner.rollbackToSavepoint('here').execute();
      throw error;
    }
    await inner.releaseSavepoint('here').execute();
  },
});

const controlledLibrary: Library = {
  ...kyselyLibrary,
  transact: async (work) => {
    const trx = await kysely.startTransaction().execute();
    try {
      await work(controlledSession(trx));
      await trx.commit().execute();
    } catch (error) {
      if (!trx.isCommitted) await trx.rollback().execute();
      throw error;
    }
  },
};

describeAdapter('fromKysely', database, () => kyselyLibrary);
describeAdapter('fromKysely with a controlled transaction', database, () => controlledLibrary);
describeSavepoints('fromKysely', database, () => controlledLibrary);

const knexSession = (trx: Knex.Transaction): LibrarySession => ({
  handle: () => fromKnex(trx),
  insert: async (id) => void (await trx('orders').insert({ id })),
  savepoint: (work) => trx.transaction((inner) => work(knexSession(inner))),
});

const knexLibrary: Library = {
  transact: (work) => knex.transaction((trx) => work(knexSession(trx))),
  handleOutside: async () => {
    const trx = await knex.transaction();
    await trx.rollback();
    return fromKnex(trx);
  },
};

describeAdapter('fromKnex', database, () => knexLibrary);
describeSavepoints('fromKnex', database, () => knexLibrary);

const insertByTypeOrm = async (runner: Pick<QueryRunner, 'query'>, id: number): Promise<void> =>
  void (await runner.query('INSERT INTO orders VALUES ($1)', [id]));

const typeOrmSession = (manager: EntityManager): LibrarySession => ({
  handle: () => fromTypeOrm(manager),
  insert: (id) => insertByTypeOrm(manager, id),
  savepoint: (work) => manager.transaction((inner) => work(typeOrmSession(inner))),
});

const typeOrmLibrary: Library = {
  transact: (work) => source.transaction((manager) => work(typeOrmSession(manager))),
  handleOutside: () => fromTypeOrm(source.manager),
};

const queryRunnerLibrary: Library = {
  transact: async (work) => {
    const runner = source.createQueryRunner();
    try {
      await runner.startTransaction();
      await work({ handle: () => fromTypeOrm(runner), insert: (id) => insertByTypeOrm(runner, id) });
      await runner.commitTransaction();
    } catch (error) {
      if (runner.isTransactionActive) await runner.rollbackTransaction();
      throw error;
    } finally {
      await runner.release();
    }
  },
  handleOutside: async () => {
    const runner = source.createQueryRunner();
    try {
      return await fromTypeOrm(runner);
    } finally {
      await runner.release();
    }
  },
};

describeAdapter('fromTypeOrm', database, () => typeOrmLibrary);
describeAdapter('fromTypeOrm with a query runner', database, () => queryRunnerLibrary);
describeSavepoints('fromTypeOrm', database, () => typeOrmLibrary);
