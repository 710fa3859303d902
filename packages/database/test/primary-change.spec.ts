import { appendFileSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type LocalServices, startLocalServices } from '@switchboard/local-services';
import { convertErrorToDatabaseFault } from '@switchboard/errors';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import {
  checkDatabaseConnection,
  type Database,
  readModelsWithChangedRowsSinceSnapshot,
  readCurrentSnapshotStamp,
  readRowWithSnapshotStamp,
} from '../src/index.js';
import { createCachedValue, createWatchedTables, fruitModel, openChecks } from './change-checks-test-database.js';
import { PausingProxy } from './pausing-proxy.js';
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

/** Starts a separate PostgreSQL server, because the tests change the WAL timeline of the server. */
beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), 'primary-change-'));
  services = await start();
});

afterAll(async () => {
  await services.stop();
  rmSync(services.serviceFolder, { recursive: true, force: true });
  rmSync(folder, { recursive: true, force: true });
});

async function timelineOf(database: Database): Promise<string | undefined> {
  const { rows } = await database.query<{ timeline: string }>(
    'SELECT left(pg_walfile_name(pg_current_wal_lsn()), 8) AS timeline',
  );
  return rows[0]?.timeline;
}

/**
 * Role of the server after a restart. A promoted server has a new WAL timeline, as after the promotion of a standby.
 */
type Role = 'primary' | 'promoted' | 'standby';

async function restartAs(role: Role): Promise<void> {
  const { database } = openWithLog(services.postgresUrl('postgres'));
  const { rows } = await database.query<{ data_directory: string }>('SHOW data_directory');
  await database.close();
  await services.stop();
  const data = rows[0]?.data_directory ?? '';
  rmSync(join(data, 'standby.signal'), { force: true });
  if (role !== 'primary') {
    appendFileSync(join(data, 'postgresql.auto.conf'), "restore_command = 'false'\n");
    writeFileSync(join(data, role === 'promoted' ? 'recovery.signal' : 'standby.signal'), '');
  }
  services = await start();
  await expect.poll(() => failureOf(checkDatabaseConnection(services.postgresUrl('postgres')))).toBeUndefined();
}

/** Returns the URL of the server for a role that may not read the identifier of the database cluster. */
async function limitedRoleUrl(): Promise<string> {
  const { database } = openWithLog(services.postgresUrl('postgres'));
  await database.query('REVOKE EXECUTE ON FUNCTION pg_control_system() FROM PUBLIC');
  await database.query('CREATE ROLE limited');
  await database.close();
  const url = new URL(services.postgresUrl('postgres'));
  url.searchParams.set('options', '-c role=limited');
  return url.href;
}

describe('onPrimaryChange', () => {
  it.each([
    ['a role with all rights', () => Promise.resolve(services.postgresUrl('postgres'))],
    ['a role that may not call pg_control_system', limitedRoleUrl],
  ])('calls the function once after a promotion, and not after a restart, for %s', async (_, urlOf) => {
    const onPrimaryChange = vi.fn<() => void>();
    const { database, lines } = openWithLog(await urlOf(), { onPrimaryChange });
    const before = await timelineOf(database);
    await restartAs('primary');
    await expect.poll(() => failureOf(timelineOf(database))).toBeUndefined();
    expect(onPrimaryChange).not.toHaveBeenCalled();

    await restartAs('promoted');
    await expect.poll(() => failureOf(timelineOf(database))).toBeUndefined();
    expect(await timelineOf(database)).not.toBe(before);
    await Promise.all([1, 2, 3].map(() => database.inTransaction((tx) => tx.query('SELECT pg_sleep(0.1)'))));
    expect(onPrimaryChange).toHaveBeenCalledOnce();
    expect(lines.filter(({ message }) => message.includes('another primary'))).toHaveLength(1);
    await database.close();
  });
});

/**
 * Makes later connections read another cluster identifier, as if another primary had replaced the server. Earlier
 * connections remain open.
 */
async function replacePrimary(): Promise<void> {
  const { database } = openWithLog(services.postgresUrl('postgres'));
  await database.query(`
    CREATE FUNCTION public.pg_control_system(OUT system_identifier bigint) LANGUAGE sql AS 'SELECT 7::bigint';
    ALTER DATABASE postgres SET search_path = public, pg_catalog`);
  await database.close();
}

async function restorePrimary(): Promise<void> {
  const { database } = openWithLog(services.postgresUrl('postgres'));
  await database.query('ALTER DATABASE postgres RESET search_path; DROP FUNCTION public.pg_control_system');
  await database.close();
}

/**
 * Runs a statement on the given number of connections, all in use at the same time. Returns the session ids of the
 * connections.
 */
async function sessionsOf(database: Database, count: number): Promise<number[]> {
  let arrived = 0;
  let release = (): void => {};
  const all = new Promise<void>((resolve) => (release = resolve));
  const runs = Array.from({ length: count }, () =>
    database.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ pid: number }>('SELECT pg_backend_pid() AS pid');
      if (++arrived === count) release();
      await all;
      return rows[0]?.pid ?? 0;
    }),
  );
  return Promise.all(runs);
}

describe('pool whose former primary remains reachable on open connections', () => {
  it('replaces these connections before the pool calls onPrimaryChange', async () => {
    const calls: string[] = [];
    const { database } = openWithLog(services.postgresUrl('postgres'), {
      max: 3,
      onConnectionsReplaced: () => calls.push('onConnectionsReplaced'),
      onPrimaryChange: () => calls.push('onPrimaryChange'),
    });
    const former = await sessionsOf(database, 2);
    await replacePrimary();
    try {
      await sessionsOf(database, 3);
      expect(calls).toEqual(['onConnectionsReplaced', 'onPrimaryChange']);
      const later = await sessionsOf(database, 3);
      expect(later.filter((pid) => former.includes(pid))).toEqual([]);
      expect(calls).toHaveLength(2);
    } finally {
      await restorePrimary();
      await database.close();
    }
  });
});

describe('pool whose former primary is lost', () => {
  it('ends statements on lost connections early, once a new connection reaches another primary', async () => {
    const proxy = await PausingProxy.start(services.postgresUrl('postgres'));
    const direct = openWithLog(services.postgresUrl('postgres')).database;
    const limits = { statementTimeoutMs: 600_000, backgroundTimeoutMs: 600_000, responseMarginMs: 100 };
    const { database } = openWithLog(proxy.url, { max: 3, ...limits });
    const statement = "SELECT pg_sleep(600), 'lost'";
    const failures = [
      failureOf(database.query(statement)),
      failureOf(
        database.inTransaction(async (tx) => {
          await tx.query('SET LOCAL statement_timeout = 0');
          await tx.query(statement);
        }),
      ),
    ];
    const isRunning = async (): Promise<number> =>
      (await direct.query("SELECT FROM pg_stat_activity WHERE state = 'active' AND query LIKE 'SELECT pg_sleep(600)%'"))
        .rows.length;
    await expect.poll(isRunning).toBe(2);
    proxy.pauseOpenConnections();
    await replacePrimary();
    try {
      await database.query('SELECT 1');
      for (const failure of failures) expect(convertErrorToDatabaseFault(await failure)?.kind).toBe('unavailable');
    } finally {
      await direct.query(
        "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE 'SELECT pg_sleep(600)%'",
      );
      await restorePrimary();
      await Promise.all([database.close(), direct.close()]);
      proxy.close();
    }
  });
});

describe('change stamps on a standby', () => {
  it('mark no cached value as current, not even a value that was read on the same standby', async () => {
    const url = services.postgresUrl('postgres');
    const { database } = openWithLog(url);
    await createWatchedTables(database);
    const checks = openChecks(url);
    const readOnPrimary = await createCachedValue(checks, fruitModel);
    expect(await checks.isValueCurrent(readOnPrimary)).toBe(true);

    await restartAs('standby');
    await expect.poll(() => failureOf(checks.readCurrentStamp())).toBeUndefined();
    expect(await checks.isValueCurrent(readOnPrimary)).toBe(false);
    const readOnStandby = await createCachedValue(checks, fruitModel);
    expect(await checks.isValueCurrent(readOnStandby)).toBe(false);
    await expect.poll(() => failureOf(database.query('SELECT 1'))).toBeUndefined();
    await database.inTransaction(
      async (tx) => {
        const { row, stamp } = await readRowWithSnapshotStamp<{ n: number }>(tx, {
          sql: 'SELECT count(*)::int AS n FROM fruits',
          params: [],
          models: [fruitModel],
        });
        expect(row.n).toBe(20);
        const report = await readModelsWithChangedRowsSinceSnapshot(tx, stamp, [fruitModel]);
        const incarnations = [stamp, report, await readCurrentSnapshotStamp(tx)].map(({ incarnation }) => incarnation);
        expect(new Set(incarnations).size).toBe(3);
      },
      { isolation: 'repeatable read', readOnly: true },
    );

    await restartAs('primary');
    await expect.poll(() => failureOf(checks.readCurrentStamp())).toBeUndefined();
    expect(await checks.isValueCurrent(readOnStandby)).toBe(false);
    expect(await checks.isValueCurrent(await createCachedValue(checks, fruitModel))).toBe(true);
    await checks.close();
    await database.close();
  });
});
