import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pg from 'pg';
import { applyMigrations, readMigrationStatus } from '@switchboard/database';
import { repositoryRoot } from '../benchmark-services.js';

const pauseBetweenStatementsMs = 20;

/** Longest times for which a migration blocked a reader and a writer of a table, in milliseconds. */
interface LongestBlockingTimes {
  readMs: number;
  writeMs: number;
}

/**
 * Applies the missing migrations to the filled database of an app. For each migration, prints its duration and the
 * longest time for which it blocked a reader or a writer of a table.
 */
export async function migrateDatabaseUnderLoad(
  app: 'chat' | 'inventory',
  url: string,
  log: (line: string) => void,
): Promise<void> {
  const folder = join(repositoryRoot, 'prisma', app, 'migrations');
  const { pending } = await readMigrationStatus({ url, folder });
  if (pending.length === 0) return;
  const waits: LongestBlockingTimes = { readMs: 0, writeMs: 0 };
  let isOver = false;
  const readers = Promise.all([
    repeatStatementForEachTable(url, (table) => `SELECT 1 FROM ${table} LIMIT 1`, {
      isOver: () => isOver,
      noteMs: (ms) => (waits.readMs = Math.max(waits.readMs, ms)),
    }),
    repeatStatementForEachTable(url, (table) => `DELETE FROM ${table} WHERE false`, {
      isOver: () => isOver,
      noteMs: (ms) => (waits.writeMs = Math.max(waits.writeMs, ms)),
    }),
  ]);
  const print = (line: string): void => {
    log(
      `  ${line}; longest wait of a reader ${waits.readMs.toFixed(0)} ms, of a writer ${waits.writeMs.toFixed(0)} ms`,
    );
    Object.assign(waits, { readMs: 0, writeMs: 0 });
  };
  try {
    await applyMigrations({ url, folder, log: print });
  } finally {
    isOver = true;
    await readers;
  }
}

async function repeatStatementForEachTable(
  url: string,
  statement: (table: string) => string,
  { isOver, noteMs }: { isOver: () => boolean; noteMs: (ms: number) => void },
): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client.query<{ name: string }>(
    `SELECT relid::regclass::text AS name FROM pg_stat_user_tables WHERE schemaname = 'public' ORDER BY n_live_tup DESC LIMIT 12`,
  );
  while (!isOver()) {
    for (const { name } of rows) {
      const started = performance.now();
      await client.query(statement(name)).catch((error: unknown) => {
        // A migration may have dropped the table.
        if (!(error instanceof pg.DatabaseError) || error.code !== '42P01') throw error;
      });
      noteMs(performance.now() - started);
    }
    await sleep(pauseBetweenStatementsMs);
  }
  await client.end();
}
