import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type CachedDataChangeChecker,
  compareSnapshotStamps,
  type Database,
  findChangeTriggerFaults,
  CachedDatabaseValue,
} from '../src/index.js';
import { selectModelsWithChangedRowsSql } from '../src/changes-since/change-stamp.js';
import {
  crateModel,
  createWatchedTables,
  fruitModel,
  openChecks,
  openWriter,
  createCachedValue,
  reportInTransaction,
} from './change-checks-test-database.js';
import { createScratchDatabase, dropScratchDatabase, openWithLog } from './temporary-database.js';

let url: string;
let database: Database;
let checks: CachedDataChangeChecker;

beforeAll(async () => {
  url = await createScratchDatabase();
  database = openWithLog(url).database;
  await createWatchedTables(database);
  checks = openChecks(url);
});

afterAll(async () => {
  await checks.close();
  await database.close();
  await dropScratchDatabase(url);
});

describe('CachedDataChangeChecker.reconnect', () => {
  const sessionsOf = async (name: string): Promise<number[]> => {
    const { rows } = await database.query<{ pid: number }>(
      `SELECT pid FROM pg_stat_activity WHERE application_name = $1 AND datname = current_database()`,
      [name],
    );
    return rows.map(({ pid }) => pid);
  };

  it('closes the connection after its running checks have ended, and opens another connection for later checks', async () => {
    const own = openChecks(url, 'reconnecting');
    const entry = await createCachedValue(own, fruitModel);
    const former = await sessionsOf('reconnecting: change checks');
    expect(former).toHaveLength(1);
    own.reconnect();
    expect(await own.isValueCurrent(entry)).toBe(true);
    await expect.poll(() => sessionsOf('reconnecting: change checks')).toHaveLength(1);
    expect(await sessionsOf('reconnecting: change checks')).not.toEqual(former);
    await own.close();
  });
});

describe('CachedDataChangeChecker.isCurrent', () => {
  const changes: [string, string][] = [
    ['INSERT', 'INSERT INTO fruits VALUES (101, 0)'],
    ['UPDATE', 'UPDATE fruits SET weight = 1 WHERE id = 101'],
    ['DELETE', 'DELETE FROM fruits WHERE id = 101'],
    ['COPY-like bulk INSERT', 'INSERT INTO fruits SELECT n, 0 FROM generate_series(200, 210) n'],
    ['UPDATE with triggers switched off', 'UPDATE fruits SET weight = 2 WHERE id = 200'],
  ];
  it.each(changes)('returns false after %s', async (kind, sql) => {
    const entry = await createCachedValue(checks, fruitModel);
    expect(await checks.isValueCurrent(entry)).toBe(true);
    await database.inTransaction(async (tx) => {
      if (kind.endsWith('off')) await tx.query('SET LOCAL session_replication_role = replica');
      await tx.query(sql);
    });
    expect(await checks.isValueCurrent(entry)).toBe(false);
  });

  it('returns false after a cascade, and after TRUNCATE', async () => {
    const cascaded = await createCachedValue(checks, crateModel);
    await database.query('DELETE FROM fruits WHERE id = 1');
    expect(await checks.isValueCurrent(cascaded)).toBe(false);
    const truncated = await createCachedValue(checks, crateModel);
    await database.query('TRUNCATE crates');
    expect(await checks.isValueCurrent(truncated)).toBe(false);
  });

  it('returns true after changes of other models and of ignored columns', async () => {
    const entry = await createCachedValue(checks, crateModel);
    await database.query('UPDATE fruits SET weight = 3');
    await database.query('UPDATE crates SET last_used = 1');
    expect(await checks.isValueCurrent(entry)).toBe(true);
    await database.query("UPDATE crates SET last_used = 1, label = 'new'");
    expect(await checks.isValueCurrent(entry)).toBe(false);
  });

  it('returns false when a transaction commits that started before the value was read', async () => {
    const writer = await openWriter(url, 'UPDATE fruits SET weight = 4 WHERE id = 2');
    await database.query('UPDATE fruits SET weight = 4 WHERE id = 3');
    const entry = await createCachedValue(checks, fruitModel);
    expect(await checks.isValueCurrent(entry)).toBe(true);
    await writer.end('commit');
    expect(await checks.isValueCurrent(entry)).toBe(false);
  });

  it('returns true when the transaction or savepoint that changed a row rolls back', async () => {
    const writer = await openWriter(url, 'UPDATE fruits SET weight = 5 WHERE id = 2');
    const entry = await createCachedValue(checks, fruitModel);
    await writer.end('roll back');
    const partly = await openWriter(
      url,
      'INSERT INTO crates VALUES (50, $$x$$)',
      'SAVEPOINT s',
      'UPDATE fruits SET weight = 5 WHERE id = 2',
      'ROLLBACK TO s',
    );
    await partly.end('commit');
    expect(await checks.isValueCurrent(entry)).toBe(true);
  });

  it('shares one check between all calls in the same event loop iteration', async () => {
    const old = await createCachedValue(checks, fruitModel, crateModel);
    await database.query('UPDATE fruits SET weight = 6');
    const [fresh, other] = [await createCachedValue(checks, fruitModel), await createCachedValue(checks, crateModel)];
    const reports = await Promise.all(
      [fresh, old, other].map((entry) => checks.readChangesSince(entry.verifiedStamp, entry.models)),
    );
    expect(new Set(reports).size).toBe(1);
    expect([...(reports[0]?.changedModels ?? [])]).toEqual([fruitModel]);
    const [report] = reports;
    if (report === undefined) throw new Error('There is no report');
    // The shared check starts at the oldest stamp. It confirms the newer value only if no transaction of the server, in
    // any database, has ended since.
    const isSameMoment = compareSnapshotStamps(report, fresh.verifiedStamp) === 0;
    expect([fresh, old, other].map((entry) => entry.isUnchangedInReport(report))).toEqual([isSameMoment, false, true]);
  });

  it('shares the next check between calls that arrive during a check', async () => {
    const entry = await createCachedValue(checks, fruitModel, crateModel);
    const writer = await openWriter(url, 'LOCK changes.model_changes', 'UPDATE fruits SET weight = 10 WHERE id = 5');
    const since = () => checks.readChangesSince(entry.verifiedStamp, entry.models);
    const first = since();
    // The first check was sent and waits for the lock; further calls wait for it.
    await new Promise((resolve) => setImmediate(resolve));
    const second = since();
    await new Promise((resolve) => setImmediate(resolve));
    const third = since();
    await writer.end('commit');
    const reports = await Promise.all([first, second, third]);
    expect([reports[1] === reports[0], reports[1] === reports[2]]).toEqual([false, true]);
    expect([...(reports[1]?.changedModels ?? [])]).toEqual([fruitModel]);
  });

  it('returns false after a commit that follows a period without changes', async () => {
    const [fruits, crates] = [await createCachedValue(checks, fruitModel), await createCachedValue(checks, crateModel)];
    const areCurrent = () => Promise.all([fruits, crates].map((entry) => checks.isValueCurrent(entry)));
    for (let n = 0; n < 3; n += 1) expect(await areCurrent()).toEqual([true, true]);
    await (await openWriter(url, 'UPDATE crates SET label = label')).end('roll back');
    for (let n = 0; n < 3; n += 1) expect(await areCurrent()).toEqual([true, true]);
    await database.query('UPDATE fruits SET weight = 11 WHERE id = 5');
    for (let n = 0; n < 3; n += 1) expect(await areCurrent()).toEqual([false, true]);
  });

  it('continues over a new connection when its connection is lost', async () => {
    const entry = await createCachedValue(checks, crateModel);
    await database.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
       WHERE datname = current_database() AND application_name LIKE '%change checks'`,
    );
    await checks.isValueCurrent(entry).catch(() => undefined);
    expect(await checks.isValueCurrent(entry)).toBe(true);
  });
});

describe('CachedDatabaseValue.isValidIn', () => {
  it('returns false for a snapshot that is older than the cached value', async () => {
    const old = await createCachedValue(checks, fruitModel);
    let entry = old;
    const report = await reportInTransaction(database, old, async () => {
      await database.query('UPDATE fruits SET weight = 7');
      entry = await createCachedValue(checks, fruitModel);
    });
    expect(old.isUnchangedInReport(report)).toBe(true);
    expect(entry.isUnchangedInReport(report)).toBe(false);
  });

  it('returns true for a snapshot between the read of the value and its last check', async () => {
    const entry = await createCachedValue(checks, fruitModel);
    const report = await reportInTransaction(database, entry, async () => {
      await database.query('UPDATE crates SET label = label');
      await checks.isValueCurrent(entry);
      await database.query('UPDATE fruits SET weight = 8');
    });
    expect(entry.isUnchangedInReport(report)).toBe(true);
    expect(await checks.isValueCurrent(entry)).toBe(false);
  });

  it('considers the models and snapshots of cached values from which the value was computed', async () => {
    const input = await createCachedValue(checks, crateModel);
    await database.query("UPDATE crates SET label = 'changed'");
    const entry = new CachedDatabaseValue('value', [fruitModel], await checks.readCurrentStamp(), [input]);
    expect(await checks.isValueCurrent(entry)).toBe(false);
  });
});

describe('compareSnapshotStamps', () => {
  const stamp = (snapshot: string) => ({ incarnation: '1', snapshot });
  it('orders by xmax, then by the number of running transactions', () => {
    expect(compareSnapshotStamps(stamp('5:20:5'), stamp('9:21:9'))).toBeLessThan(0);
    expect(compareSnapshotStamps(stamp('5:20:5,7'), stamp('7:20:7'))).toBeLessThan(0);
    expect(compareSnapshotStamps(stamp('20:20:'), stamp('5:20:5'))).toBeGreaterThan(0);
    expect(compareSnapshotStamps(stamp('20:20:'), stamp('20:20:'))).toBe(0);
  });
});

describe('CachedDatabaseValue.isNewerThan', () => {
  const at = (incarnation: string, snapshot: string) =>
    new CachedDatabaseValue('value', [fruitModel], { incarnation, snapshot });

  it.each([
    [at('1', '9:21:9'), true],
    [at('1', '5:20:5'), false],
    [at('2', '9:21:9'), false],
  ])('compares only snapshots that belong to the same start of the server (case %#)', (value, expected) => {
    expect(value.isNewerThan(at('1', '5:20:5'))).toBe(expected);
  });
});

describe('readChangesSince', () => {
  it('reads as few rows after 50,000 changes and with an old open transaction as without changes', async () => {
    const old = await openWriter(url, 'UPDATE fruits SET weight = 9 WHERE id = 4');
    const entry = await createCachedValue(checks, fruitModel, crateModel);
    await database.query('INSERT INTO changes.model_changes SELECT 3, n::text::xid8 FROM generate_series(1, 50000) n');
    await database.query('ANALYZE changes.model_changes');
    const buffers = await database.inTransaction(async (tx) => {
      await tx.query('SET LOCAL plan_cache_mode = force_generic_plan');
      await tx.query(`PREPARE check_of_test(text, smallint[]) AS ${selectModelsWithChangedRowsSql}`);
      const { rows } = await tx.query<Record<string, unknown>>(
        `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE check_of_test('${entry.verifiedStamp.snapshot}', '{1,2,3}')`,
      );
      await tx.query('DEALLOCATE check_of_test');
      return JSON.stringify(rows);
    });
    await old.end('roll back');
    await database.query('DELETE FROM changes.model_changes WHERE model = 3');
    expect(buffers).not.toContain('Seq Scan');
    expect(Number(/"Shared Hit Blocks":(\d+)/.exec(buffers)?.[1])).toBeLessThan(40);
  });
});

describe('findChangeTriggerFaults', () => {
  const tables = [
    { table: 'fruits', model: fruitModel },
    { table: 'crates', model: crateModel, ignoredColumns: ['last_used'] },
  ];
  const faultsAfter = (sql: string) =>
    database
      .inTransaction(async (tx) => {
        await tx.query(sql);
        throw await findChangeTriggerFaults(tx, tables);
      })
      .catch((faults: unknown) => faults);

  it('returns nothing when the triggers match their declarations', async () => {
    expect(await findChangeTriggerFaults(database, tables)).toEqual([]);
  });

  it.each([
    ['DROP TRIGGER model_change ON fruits', 'fruits has no trigger model_change'],
    ['ALTER TABLE fruits DISABLE TRIGGER model_change', 'fruits has a trigger that is not ENABLE ALWAYS'],
    ["SELECT changes.watch_table('fruits', 7)", 'fruits has a trigger for model 7 instead of 1'],
    [
      'ALTER TABLE crates ADD COLUMN colour text',
      'crates has a trigger for the columns id, label, fruit_id instead of id, label, fruit_id, colour',
    ],
  ])('names the table after %s', async (sql, fault) => {
    expect(await faultsAfter(sql)).toEqual([fault]);
  });
});

describe('CachedDataChangeChecker.isCurrent after a restore', () => {
  it('returns false when a restore replaced the tables without change records', async () => {
    const entry = await createCachedValue(checks, fruitModel);
    await database.query('DROP TABLE crates, fruits; DROP SCHEMA changes CASCADE');
    await createWatchedTables(database);
    // A restore creates triggers after loading the rows, so there are no rows of changes.
    await database.query('DELETE FROM changes.model_changes');
    expect(await checks.isValueCurrent(entry)).toBe(false);
  });
});
