import { setTimeout as delay } from 'node:timers/promises';
import type { Database, Tx } from '@switchboard/database';

/** A transaction that has acquired locks and is still open. */
export interface OpenWork {
  /** Commits the open transaction, which releases its locks. */
  release(): Promise<void>;
}

/**
 * Runs `work` in a transaction that stays open until `release` is called. The release runs `last` before it commits the
 * transaction.
 */
export async function runInOpenTransaction(
  database: Database,
  work: (tx: Tx) => Promise<unknown>,
  last: (tx: Tx) => Promise<unknown> = () => Promise.resolve(),
): Promise<OpenWork> {
  let commit = (): void => undefined;
  const reached = new Promise<void>((resolve) => {
    commit = resolve;
  });
  let ended: Promise<void> = Promise.resolve();
  await new Promise<void>((isDone, hasFailed) => {
    ended = database.inTransaction(async (tx) => {
      await work(tx);
      isDone();
      await reached;
      await last(tx);
    });
    ended.catch(hasFailed);
  });
  return {
    release: () => {
      commit();
      return ended;
    },
  };
}

/** Locks a row of a table as a transaction does that writes a reference to the row. */
export function holdReference(database: Database, table: string, id: number): Promise<OpenWork> {
  return runInOpenTransaction(database, (tx) => tx.query(`SELECT FROM ${table} WHERE id = $1 FOR KEY SHARE`, [id]));
}

/** Waits until the given number of statements wait for locks, or a time limit is reached. */
export async function untilWaiting(database: Database, statements: number, forMs = 5_000): Promise<void> {
  const end = Date.now() + forMs;
  while (Date.now() < end) {
    const { rows } = await database.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
    );
    if ((rows[0]?.n ?? 0) >= statements) return;
    await delay(5);
  }
}
