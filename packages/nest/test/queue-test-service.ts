import type { DynamicModule, INestApplicationContext, Provider, Type } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { applyQueueMigrations, defineJob, defineOutboxMessage, type Outbox, withOutbox } from '@switchboard/queue';
import { hashFoldersContent, openTestDatabase, type TestDatabase, openTestRedis } from '@switchboard/testing';
import { fileURLToPath } from 'node:url';
import pg from 'pg';
import { z } from 'zod';
import type { QueueModuleOptions } from '../src/index.js';

const order = z.strictObject({ orderId: z.int() });

/** Type of the outbox messages that the tests use. */
export const orderPlaced = defineOutboxMessage({ name: 'orders.placed', version: 1, payload: order });

/** Kind of job that the tests use. */
export const sendReceipt = defineJob({ name: 'receipts.send', payload: order, backoff: { initialMs: 20, maxMs: 40 } });

/** Connection options of `QueueModule`, without the settings of outbox, jobs and event log. */
export type Connections = Pick<QueueModuleOptions, 'pool' | 'redis' | 'prefix'>;

/** Servers for the queue tests: a database with the tables of the queue package, and a key prefix in Redis. */
export class QueueServers {
  readonly redis = openTestRedis();
  readonly prefix = this.redis.prefix.replace(/:$/, '');

  private constructor(
    private readonly database: TestDatabase,
    readonly pool: pg.Pool,
  ) {}

  static async open(): Promise<QueueServers> {
    const database = await openTestDatabase({
      name: 'nest',
      hash: await hashFoldersContent(fileURLToPath(new URL('../../queue/sql', import.meta.url))),
      prepare: async (url) => {
        const pool = new pg.Pool({ connectionString: url });
        await applyQueueMigrations(pool);
        await pool.end();
      },
    });
    const pool = new pg.Pool({ connectionString: database.url });
    pool.on('error', () => {});
    return new QueueServers(database, pool);
  }

  get connections(): Connections {
    return { pool: this.pool, redis: this.redis.url, prefix: this.prefix };
  }

  /** Commits an outbox message about a placed order. */
  placeOrder(outbox: Outbox, orderId: number): Promise<void> {
    return withOutbox(this.pool, outbox, async (tx) => outbox.add(tx, orderPlaced, { orderId }));
  }

  async close(): Promise<void> {
    await this.pool.end();
    await Promise.all([this.database.release(), this.redis.cleanup()]);
  }
}

const open: INestApplicationContext[] = [];

/** Starts a Nest application without an HTTP server from the given modules and providers. */
export async function startApplication(
  imports: (DynamicModule | Type)[],
  providers: Provider[] = [],
): Promise<INestApplicationContext> {
  const built = await Test.createTestingModule({ imports, providers }).compile();
  built.useLogger(false);
  open.push(built);
  return built.init();
}

/** Closes the applications that a test has started. */
export async function closeApplications(): Promise<void> {
  await Promise.all(open.splice(0).map((application) => application.close()));
}

/** A promise that a test resolves. Work that awaits `opened` continues when the test calls `open`. */
export interface Gate {
  readonly opened: Promise<void>;
  readonly open: () => void;
}

/** Returns a new {@link Gate} whose promise is not resolved yet. */
export function createGate(): Gate {
  let open = (): void => {};
  const opened = new Promise<void>((resolve) => (open = resolve));
  return { opened, open };
}
