import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalServices, startLocalServices } from '@switchboard/local-services';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  checkDatabaseConnection,
  type DatabaseSnapshotStamp,
  readModelsWithChangedRowsSinceSnapshot,
  CachedDatabaseValue,
} from '../src/index.js';
import { createWatchedTables, fruitModel, openChecks } from './change-checks-test-database.js';
import { failureOf, openWithLog } from './temporary-database.js';

let folder: string;
let services: LocalServices;

function start(): Promise<LocalServices> {
  return startLocalServices({
    dataFolder: folder,
    redis: false,
    postgres: { maxConnections: 10 },
    log: () => undefined,
  });
}

/** Starts a separate PostgreSQL server, because the tests kill the server. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'change-crash-'));
  services = await start();
  await withDatabase((database) => createWatchedTables(database));
});

afterAll(async () => {
  await services.stop();
  rmSync(services.serviceFolder, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

async function withDatabase<T>(run: (database: ReturnType<typeof openWithLog>['database']) => Promise<T>): Promise<T> {
  const { database } = openWithLog(services.postgresUrl('postgres'));
  try {
    return await run(database);
  } finally {
    await database.close();
  }
}

async function readStamp(): Promise<DatabaseSnapshotStamp> {
  const checks = openChecks(services.postgresUrl('postgres'));
  const stamp = await checks.readCurrentStamp();
  await checks.close();
  return stamp;
}

/**
 * Writes a row, rolls back the transaction, and returns the transaction id. After a crash, the server may assign the
 * same id to another transaction.
 */
async function rollBack(): Promise<string> {
  return withDatabase(async (database) => {
    let xid = '';
    const undone = database.inTransaction(async (tx) => {
      await tx.query('UPDATE fruits SET weight = weight + 1');
      xid = (await tx.query<{ xid: string }>('SELECT pg_current_xact_id()::text AS xid')).rows[0]?.xid ?? '';
      throw new Error('undone');
    });
    await failureOf(undone);
    return xid;
  });
}

/**
 * Kills one process of the PostgreSQL server. The server then ends all other sessions and starts crash recovery. One of
 * the ended sessions shows the test that this has happened.
 */
async function killBackend(): Promise<void> {
  await withDatabase((witness) =>
    withDatabase(async (database) => {
      await witness.query('SELECT 1');
      const ended = failureOf(witness.query('SELECT pg_sleep(30)'));
      const { rows } = await database.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      process.kill(rows[0]?.pid ?? 0, 'SIGKILL');
      await failureOf(database.query('SELECT pg_sleep(30)'));
      await ended;
    }),
  );
  await expect.poll(connectionFailure, { timeout: 30_000 }).toBeUndefined();
}

const connectionFailure = (): Promise<unknown> => failureOf(checkDatabaseConnection(services.postgresUrl('postgres')));

/** Stops the PostgreSQL server immediately, without a checkpoint, and starts the server again. */
async function stopAtOnce(): Promise<void> {
  process.kill(services.pids.postgres ?? 0, 'SIGQUIT');
  await expect.poll(connectionFailure, { timeout: 30_000 }).toBeDefined();
  await services.stop();
  services = await start();
}

describe('CachedDatabaseValue.isValidIn', () => {
  it.each([
    ['one backend is killed', killBackend],
    ['the server stops without a checkpoint', stopAtOnce],
  ])('returns false when %s, although every transaction id seems finished', async (_, crash) => {
    const xid = await rollBack();
    const entry = new CachedDatabaseValue('value', [fruitModel], await readStamp());
    await crash();
    const report = await withDatabase(async (database) => {
      // This transaction may get the id of the rolled-back one, which the stamp counts as finished.
      await database.query('UPDATE fruits SET weight = 100');
      return readModelsWithChangedRowsSinceSnapshot(database, entry.verifiedStamp, entry.models);
    });
    expect(BigInt(xid)).toBeGreaterThan(0n);
    expect(report.incarnation).not.toBe(entry.verifiedStamp.incarnation);
    expect(entry.isUnchangedInReport(report)).toBe(false);
    // A value made after the crash is usable again.
    const fresh = new CachedDatabaseValue('value', [fruitModel], await readStamp());
    const later = await withDatabase((database) =>
      readModelsWithChangedRowsSinceSnapshot(database, fresh.verifiedStamp, fresh.models),
    );
    expect(fresh.isUnchangedInReport(later)).toBe(true);
  });

  it('returns true after a clean restart', async () => {
    const entry = new CachedDatabaseValue('value', [fruitModel], await readStamp());
    await services.stop();
    services = await start();
    const report = await withDatabase((database) =>
      readModelsWithChangedRowsSinceSnapshot(database, entry.verifiedStamp, entry.models),
    );
    expect(entry.isUnchangedInReport(report)).toBe(true);
  });
});
