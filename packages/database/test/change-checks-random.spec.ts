import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Database,
  readModelsWithChangedRowsSinceSnapshot,
  readCurrentSnapshotStamp,
  CachedDatabaseValue,
  type Tx,
} from '../src/index.js';
import { isLongTestRun } from '../../testing/src/index.js';
import { crateModel, createWatchedTables, fruitModel, openChecks } from './change-checks-test-database.js';
import { createScratchDatabase, dropScratchDatabase, openWithLog } from './temporary-database.js';

const writers = 6;
/** Number of cache hits of each simulated process. A hit is rare, because the writers change the values all the time. */
const uses = isLongTestRun() ? 60 : 10;
let url: string;
let database: Database;

beforeAll(async () => {
  url = await createScratchDatabase();
  database = openWithLog(url, { max: writers }).database;
  await createWatchedTables(database);
});

afterAll(async () => {
  await database.close();
  await dropScratchDatabase(url);
});

const responses = [
  { models: [fruitModel], sql: 'SELECT array_agg(weight ORDER BY id)::text AS value FROM fruits' },
  { models: [crateModel], sql: 'SELECT array_agg(label ORDER BY id)::text AS value FROM crates' },
  {
    models: [fruitModel, crateModel],
    sql: 'SELECT count(*)::text || sum(f.weight) AS value FROM fruits f LEFT JOIN crates c ON c.fruit_id = f.id',
  },
];

async function read(tx: Tx, { sql }: { sql: string }): Promise<string> {
  return (await tx.query<{ value: string }>(sql)).rows[0]?.value ?? '';
}

const below = (n: number): number => Math.floor(Math.random() * n);
const undone = new Error('undone');

/**
 * Runs random write transactions until `isOver` returns true. A fifth of the transactions roll back, and some
 * statements roll back to a savepoint.
 */
async function write(isOver: () => boolean): Promise<void> {
  while (!isOver()) {
    const work = database.inTransaction(async (tx) => {
      for (let n = below(3); n >= 0; n -= 1) {
        const table = below(3) === 0 ? 'crates SET label = $1::text' : 'fruits SET weight = $1::text::int';
        const isUndone = below(5) === 0;
        if (isUndone) await tx.query('SAVEPOINT one');
        await tx.query(`UPDATE ${table} WHERE id = $2`, [String(below(1000)), 1 + below(20)]);
        if (isUndone) await tx.query('ROLLBACK TO one');
      }
      if (below(5) === 0) throw undone;
    });
    await work.catch((error: unknown) => {
      if (error !== undone) throw error;
    });
    await new Promise((resolve) => setTimeout(resolve, below(40)));
  }
}

/**
 * Simulates one process of a service: compares cached values with values that were newly read in the same database
 * snapshot. Ends after enough cache hits.
 */
async function readAsOneProcess(): Promise<void> {
  const checks = openChecks(url);
  const { database: own } = openWithLog(url, { max: 2 });
  const memory = new Map<object, CachedDatabaseValue<string>>();
  let used = 0;
  while (used < uses) {
    const response = responses[below(responses.length)];
    if (response === undefined) continue;
    const known = memory.get(response);
    if (below(3) === 0 && known !== undefined) await checks.isValueCurrent(known);
    await own.inTransaction(
      async (tx) => {
        const stamp = await readCurrentSnapshotStamp(tx);
        if (below(3) === 0) await new Promise((resolve) => setTimeout(resolve, below(8)));
        const fresh = await read(tx, response);
        const report = known && (await readModelsWithChangedRowsSinceSnapshot(tx, known.verifiedStamp, known.models));
        if (known !== undefined && report !== undefined && known.isUnchangedInReport(report)) {
          used += 1;
          expect(known.value).toBe(fresh);
        } else memory.set(response, new CachedDatabaseValue(fresh, response.models, stamp));
      },
      { isolation: 'repeatable read', readOnly: true },
    );
  }
  await checks.close();
  await own.close();
}

describe('CachedDatabaseValue.isValidIn', () => {
  it('returns true only for values that equal newly read values of the snapshot, while six sessions write', async () => {
    let isOver = false;
    const writing = Array.from({ length: writers }, () => write(() => isOver));
    const reading = Promise.all([readAsOneProcess(), readAsOneProcess()]).finally(() => (isOver = true));
    await Promise.all([reading, ...writing]);
  });
});
