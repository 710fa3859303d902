import type pg from 'pg';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { TransactionHandle } from '../src/index.js';
import { range, stopAll, TestProcess, thingsPool } from './event-log-support.js';
import { uniqueName, until } from './queue-test-support.js';
import { closeStoredLogs, openStoredLog, type StoredLog } from './stored-log.js';

const prefix = uniqueName();

let pool: pg.Pool;
let drop: () => Promise<void>;
let openLog: (prefix: string, realm: string) => StoredLog;
let process: TestProcess;
let realm: string;

beforeAll(async () => {
  ({ pool, drop } = await thingsPool());
  openLog = openStoredLog(pool);
  process = new TestProcess(pool, prefix);
  await process.log.waitUntilStoreResponds();
});
afterAll(async () => {
  await stopAll();
  closeStoredLogs();
  await drop();
});

const last = (): Promise<number> => openLog(prefix, realm).last();
const write = (n: number) => async (tx: TransactionHandle) =>
  process.log.write(tx, { realm, audience: { all: true }, event: { type: 'thing', n } });

async function numbers(): Promise<(number | null)[]> {
  const { rows } = await pool.query<{ seq: number | null }>(
    'SELECT seq::int FROM queue.outbox WHERE realm = $1 ORDER BY id',
    [realm],
  );
  return rows.map(({ seq }) => seq);
}

/** Creates a realm with one entry in its log. */
beforeEach(async () => {
  realm = uniqueName();
  await process.commit(write(1));
  await until(async () => (await last()) === 1);
});

describe("numbers of event log rows, assigned in the writer's commit", () => {
  it('become visible together with the rows', async () => {
    await process.commit(write(2), { dies: true });
    expect(await numbers()).toEqual([1, 2]);
    await process.commit(write(3));
    await until(async () => (await last()) === 3);
  });

  it('include several rows of one commit', async () => {
    await process.commit(
      async (tx) => {
        await write(2)(tx);
        await write(3)(tx);
      },
      { dies: true },
    );
    expect(await numbers()).toEqual([1, 2, 3]);
    await process.commit(write(4));
    await until(async () => (await last()) === 4);
  });

  it('include rows of earlier commits that have no number yet', async () => {
    const insert = `INSERT INTO queue.outbox (topic, realm, payload, audience, weight)
      SELECT topic, realm, payload, audience, 5 FROM queue.outbox WHERE realm = $1`;
    await pool.query(insert, [realm]);
    await process.commit(write(2));
    expect(await numbers()).toEqual([1, 6, 7]);
    await until(async () => (await last()) === 7);
  });

  it('belong to later rows after the transaction rolls back', async () => {
    const failing = process.commit(async (tx) => {
      await write(2)(tx);
      await tx.query('CREATE TABLE later (n int UNIQUE DEFERRABLE INITIALLY DEFERRED)');
      await tx.query('INSERT INTO later VALUES (1), (1)');
    });
    await expect(failing).rejects.toMatchObject({ code: '23505' });
    expect(await numbers()).toEqual([1]);
    await process.commit(write(3), { dies: true });
    expect(await numbers()).toEqual([1, 2]);
  });

  it('follow the commit directly while another transaction assigns numbers', async () => {
    const other = await pool.connect();
    await other.query('BEGIN');
    await other.query('SELECT 1 FROM queue.event_log WHERE realm = $1 FOR UPDATE', [realm]);
    await process.commit(write(2));
    expect(await numbers()).toEqual([1, null]);
    await other.query('COMMIT');
    other.release();
    await until(async () => (await last()) === 2);
  });

  it('remain null during the commit of a REPEATABLE READ transaction, and follow afterwards', async () => {
    await process.commit(write(2), { dies: true, begin: 'BEGIN ISOLATION LEVEL REPEATABLE READ' });
    expect(await numbers()).toEqual([1, null]);
    await process.commit(write(3));
    await until(async () => (await last()) === 3);
  });

  it('survive a crash even if the writing transaction disables synchronous_commit', async () => {
    let setting = '';
    await process.commit(async (tx) => {
      await tx.query('SET LOCAL synchronous_commit = off');
      await write(2)(tx);
      const query = tx.query.bind(tx);
      // Reads the setting in the same statement, because COMMIT is sent right behind it.
      tx.query = async <R>(sql: string, params?: unknown[]) => {
        if (!sql.includes('queue.add_numbered(')) return query<R>(sql, params);
        const asking = sql.replace('SELECT *', "SELECT *, current_setting('synchronous_commit') AS setting");
        const outcome = await query<R & { setting?: string }>(asking, params);
        setting = outcome.rows[0]?.setting ?? '';
        return outcome;
      };
    });
    await until(() => Promise.resolve(setting !== ''));
    expect(setting).toBe('on');
  });

  it('reach the log exactly once under concurrent commits', async () => {
    await Promise.all(range(2, 40).map((n) => process.commit(write(n))));
    await until(async () => (await last()) === 39);
    expect(new Set(await numbers()).size).toBe(39);
  });
});
