import type { Database } from '../src/index.js';
import {
  CachedDataChangeChecker,
  type ModelsWithChangedRows,
  createModelChangesSql,
  readModelsWithChangedRowsSinceSnapshot,
  readCurrentSnapshotStamp,
  CachedDatabaseValue,
} from '../src/index.js';
import { openWithLog } from './temporary-database.js';

/** Number of the data model of the table `fruits`, which has no ignored columns; see {@link createWatchedTables}. */
export const fruitModel = 1;
export const crateModel = 2;

/**
 * Creates the table of recorded changes and two tables for the tests. All changes of the first table are recorded; the
 * second table has an ignored column.
 */
export async function createWatchedTables(database: Database): Promise<void> {
  await database.query(createModelChangesSql);
  await database.query(`
    CREATE TABLE fruits (id int PRIMARY KEY, weight int NOT NULL);
    CREATE TABLE crates (id int PRIMARY KEY, label text NOT NULL, last_used int NOT NULL DEFAULT 0,
      fruit_id int REFERENCES fruits ON DELETE CASCADE);
    SELECT changes.watch_table('fruits', ${fruitModel}), changes.watch_table('crates', ${crateModel}, '{last_used}');
    INSERT INTO fruits SELECT n, 0 FROM generate_series(1, 20) n;
    INSERT INTO crates (id, label, fruit_id) SELECT n, 'crate', n FROM generate_series(1, 5) n;`);
}

/** Returns a {@link CachedDataChangeChecker} for a test database. */
export function openChecks(url: string, applicationName = 'test'): CachedDataChangeChecker {
  const logger = { warn: () => undefined, error: () => undefined };
  return new CachedDataChangeChecker({ url, applicationName, logger });
}

/**
 * Reads the current change stamp. Returns a cached value that depends on the given models and was verified at that
 * stamp.
 */
export async function createCachedValue(
  checks: CachedDataChangeChecker,
  ...models: number[]
): Promise<CachedDatabaseValue<string>> {
  return new CachedDatabaseValue('value', models, await checks.readCurrentStamp());
}

/**
 * Starts a repeatable read transaction and calls `during` after its first statement. Then reads, in this transaction,
 * the report of the changes since a cached value was verified. Returns the report.
 */
export async function reportInTransaction(
  database: Database,
  entry: CachedDatabaseValue<unknown>,
  during: () => Promise<unknown> = () => Promise.resolve(),
): Promise<ModelsWithChangedRows> {
  return database.inTransaction(
    async (tx) => {
      await readCurrentSnapshotStamp(tx);
      await during();
      return readModelsWithChangedRowsSinceSnapshot(tx, entry.verifiedStamp, entry.models);
    },
    { isolation: 'repeatable read', readOnly: true },
  );
}

/**
 * Starts a transaction, runs the given statements, and leaves the transaction open. The test ends the transaction
 * through the returned object.
 */
export async function openWriter(
  url: string,
  ...statements: string[]
): Promise<{ end: (how: 'commit' | 'roll back') => Promise<void> }> {
  const { database } = openWithLog(url, { max: 1 });
  let end: (how: 'commit' | 'roll back') => void = () => undefined;
  const ending = new Promise<'commit' | 'roll back'>((resolve) => (end = resolve));
  let ready: () => void = () => undefined;
  const begun = new Promise<void>((resolve) => (ready = resolve));
  const undone = new Error('rolled back');
  const done = database.inTransaction(async (tx) => {
    for (const statement of statements) await tx.query(statement);
    ready();
    if ((await ending) === 'roll back') throw undone;
  });
  const over = done.catch((error: unknown) => {
    if (error !== undone) throw error;
  });
  await Promise.race([begun, over]);
  return {
    async end(how) {
      end(how);
      await over;
      await database.close();
    },
  };
}
