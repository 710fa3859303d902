import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  applyQueueMigrations,
  DeduplicationInbox,
  Outbox,
  QueueUsageError,
  withOutbox,
  type DeduplicationInboxResult,
  type QueuePool,
  type TransactionHandle,
} from '../src/index.js';
import { testPool, until } from './queue-test-support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;
let outbox: Outbox;
let inbox: DeduplicationInbox;

beforeAll(async () => {
  ({ pool, drop } = await testPool());
  await pool.query('CREATE TABLE receipts (n int)');
  outbox = new Outbox({ pool });
  inbox = new DeduplicationInbox({ pool });
});
beforeEach(async () => {
  await pool.query('TRUNCATE queue.inbox, receipts');
});
afterAll(() => drop());

/**
 * Inserts a receipt row under an inbox key in a new transaction. `beforeCommit` runs after the insertion and before
 * COMMIT.
 */
function insertOnce(
  key: string,
  n: number,
  beforeCommit: () => Promise<void> = async () => {},
): Promise<DeduplicationInboxResult<number>> {
  return withOutbox(pool, outbox, async (tx) => {
    const result = await inbox.once(tx, key, async () => {
      await tx.query('INSERT INTO receipts VALUES ($1)', [n]);
      return n;
    });
    await beforeCommit();
    return result;
  });
}

const listReceipts = async (): Promise<number[]> =>
  (await pool.query<{ n: number }>('SELECT n FROM receipts ORDER BY n')).rows.map(({ n }) => n);

const listKeys = async (): Promise<string[]> =>
  (await pool.query<{ key: string }>('SELECT key FROM queue.inbox ORDER BY key')).rows.map(({ key }) => key);

/** Waits until a database session is waiting for the end of another transaction. */
const waitForWaiter = (): Promise<void> =>
  until(async () => {
    const { rows } = await pool.query(
      `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'transactionid'`,
    );
    return rows.length > 0;
  });

/** Returns a promise together with the functions that settle the promise. */
function gate(): { opened: Promise<void>; open: () => void; fail: (error: Error) => void } {
  let open = (): void => {};
  let fail = (_error: Error): void => {};
  const opened = new Promise<void>((resolve, reject) => {
    open = resolve;
    fail = reject;
  });
  return { opened, open, fail };
}

/**
 * Starts a transaction with the inbox key `one`, and a second transaction that waits for the first. The returned
 * functions end the first transaction.
 */
async function startTwo() {
  const { opened, open, fail } = gate();
  let isInserted = false;
  const first = insertOnce('one', 1, () => {
    isInserted = true;
    return opened;
  });
  first.catch(() => {});
  await until(() => isInserted);
  const second = insertOnce('one', 2);
  await waitForWaiter();
  return { first, second, open, fail };
}

describe('DeduplicationInbox.once', () => {
  it('runs the work of a key once, and returns isFirst false for repeated calls', async () => {
    expect(await insertOnce('one', 1)).toEqual({ isFirst: true, value: 1 });
    expect(await insertOnce('one', 2)).toEqual({ isFirst: false });
    expect(await insertOnce('two', 3)).toEqual({ isFirst: true, value: 3 });
    expect([await listReceipts(), await listKeys()]).toEqual([
      [1, 3],
      ['one', 'two'],
    ]);
  });

  it('waits for the commit of a concurrent transaction with the same key, and then skips the work', async () => {
    const { first, second, open } = await startTwo();
    open();
    expect(await Promise.all([first, second])).toEqual([{ isFirst: true, value: 1 }, { isFirst: false }]);
    expect(await listReceipts()).toEqual([1]);
  });

  it('runs the work when a concurrent transaction with the key is rolled back', async () => {
    const { first, second, fail } = await startTwo();
    fail(new Error('rolled back'));
    await expect(first).rejects.toThrow('rolled back');
    expect(await second).toEqual({ isFirst: true, value: 2 });
    expect(await listReceipts()).toEqual([2]);
  });

  it('does not wait for transactions with other keys', async () => {
    const result = await withOutbox(pool, outbox, async (tx) => {
      await inbox.once(tx, 'one', async () => {});
      return insertOnce('two', 2);
    });
    expect(result).toEqual({ isFirst: true, value: 2 });
  });

  it('refuses COMMIT when the caller ignored an error of the work', async () => {
    const ignored = withOutbox(pool, outbox, async (tx) => {
      const fail = (): Promise<never> => Promise.reject(new Error('half done'));
      await expect(inbox.once(tx, 'one', fail)).rejects.toThrow('half done');
    });
    await expect(ignored).rejects.toThrow(QueueUsageError);
    expect(await listKeys()).toEqual([]);
  });

  it.each(['', 'x'.repeat(501), 'a\0b', '\ud800'])('rejects the key %j', async (key) => {
    await expect(insertOnce(key, 1)).rejects.toThrow(QueueUsageError);
  });

  it('stores a key of 500 characters of three bytes', async () => {
    expect(await insertOnce('€'.repeat(500), 1)).toEqual({ isFirst: true, value: 1 });
  });

  it('rejects a pool instead of a transaction, and a transaction that has ended', async () => {
    const refused = inbox.once(pool as unknown as TransactionHandle, 'one', async () => {});
    await expect(refused).rejects.toThrow(QueueUsageError);
    let ended: TransactionHandle | undefined;
    await withOutbox(pool, outbox, async (tx) => void (ended = tx));
    await expect(inbox.once(ended!, 'one', async () => {})).rejects.toThrow('has ended');
    expect(await listKeys()).toEqual([]);
  });

  it('stores keys in the schema of the option', async () => {
    await applyQueueMigrations(pool, { schema: 'shop' });
    const shop = new DeduplicationInbox({ pool, schema: 'shop' });
    const once = (): Promise<DeduplicationInboxResult<void>> =>
      withOutbox(pool, outbox, (tx) => shop.once(tx, 'one', async () => {}));
    expect([(await once()).isFirst, (await once()).isFirst]).toEqual([true, false]);
    expect((await pool.query('SELECT key FROM shop.inbox')).rows).toEqual([{ key: 'one' }]);
    expect(await insertOnce('one', 1)).toEqual({ isFirst: true, value: 1 });
  });
});

/** Inserts inbox keys that were recorded the given number of days ago. */
const insertKeys = (count: number, days: number): Promise<unknown> =>
  pool.query(
    `INSERT INTO queue.inbox SELECT format('%s days, %s', $2::int, n), now() - make_interval(days => $2::int) FROM generate_series(1, $1::int) n`,
    [count, days],
  );

describe('DeduplicationInbox.removeExpiredKeys', () => {
  it('removes the keys that are older than the retention, so that their work runs again', async () => {
    await insertKeys(2_500, 8);
    await insertKeys(10, 6);
    expect(await inbox.removeExpiredKeys()).toBe(2_500);
    expect(await listKeys()).toHaveLength(10);
    expect(await insertOnce('8 days, 1', 1)).toMatchObject({ isFirst: true });
    expect(await insertOnce('6 days, 1', 2)).toMatchObject({ isFirst: false });
    expect(await new DeduplicationInbox({ pool, retentionMs: 5 * 86_400_000 }).removeExpiredKeys()).toBe(10);
  });

  it('reads only expired keys, with statistics of an empty table', async () => {
    await pool.query('ALTER TABLE queue.inbox SET (autovacuum_enabled = false)');
    await pool.query('ANALYZE queue.inbox');
    await insertKeys(20_000, 1);
    await insertKeys(100, 8);
    const client = await pool.connect();
    try {
      await client.query('BEGIN');
      const before = await rowsRead(client);
      const inTransaction = { query: client.query.bind(client), connect: () => pool.connect() } as unknown as QueuePool;
      expect(await new DeduplicationInbox({ pool: inTransaction }).removeExpiredKeys()).toBe(100);
      // Each key is read from the index, and again by its position.
      expect((await rowsRead(client)) - before).toBeLessThan(500);
    } finally {
      await client.query('ROLLBACK');
      client.release();
    }
  });

  it('skips keys that another process is removing', async () => {
    await insertKeys(3, 8);
    const client = await pool.connect();
    await client.query('BEGIN');
    await client.query(`SELECT FROM queue.inbox WHERE key = '8 days, 2' FOR UPDATE`);
    expect(await inbox.removeExpiredKeys()).toBe(2);
    await client.query('ROLLBACK');
    client.release();
    expect(await listKeys()).toEqual(['8 days, 2']);
  });
});

describe('DeduplicationInbox.startRemovingExpiredKeys', () => {
  it('removes expired keys repeatedly until stop', async () => {
    const running = new DeduplicationInbox({ pool, removeEveryMs: 10 });
    running.startRemovingExpiredKeys();
    for (let round = 0; round < 2; round += 1) {
      await insertKeys(5, 8);
      await until(async () => (await listKeys()).length === 0);
    }
    await running.stopRemovingExpiredKeys();
  });

  it('continues after an error of the database', async () => {
    await insertKeys(5, 8);
    const warnings: string[] = [];
    const logger = {
      debug: () => {},
      info: () => {},
      error: () => {},
      warn: (_: object, text: string) => void warnings.push(text),
    };
    let calls = 0;
    const query: QueuePool['query'] = (sql, params) => {
      calls += 1;
      if (calls === 1) return Promise.reject(new Error('connection terminated'));
      return pool.query(sql, params) as never;
    };
    const running = new DeduplicationInbox({
      pool: { query, connect: () => pool.connect() as never },
      removeEveryMs: 10,
      logger,
    });
    running.startRemovingExpiredKeys();
    await until(async () => (await listKeys()).length === 0);
    await running.stopRemovingExpiredKeys();
    expect(warnings).toEqual(['expired inbox keys could not be removed']);
  });
});

async function rowsRead(client: pg.PoolClient): Promise<number> {
  const { rows } = await client.query<{ n: number }>(
    `SELECT (seq_tup_read + idx_tup_fetch)::int AS n FROM pg_stat_xact_user_tables WHERE relid = 'queue.inbox'::regclass`,
  );
  return rows[0]?.n ?? Number.NaN;
}
