import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type CachedDataChangeChecker, RecordedChangeRemover, type Database } from '../src/index.js';
import {
  createWatchedTables,
  fruitModel,
  openChecks,
  openWriter,
  createCachedValue,
} from './change-checks-test-database.js';
import { createScratchDatabase, dropScratchDatabase, openWithLog } from './temporary-database.js';

const minuteMs = 60_000;
let url: string;
let database: Database;
let checks: CachedDataChangeChecker;
let nowMs: number;
let sweep: RecordedChangeRemover;

beforeEach(async () => {
  url = await createScratchDatabase();
  database = openWithLog(url).database;
  await createWatchedTables(database);
  checks = openChecks(url);
  nowMs = 0;
  sweep = new RecordedChangeRemover(database, { nowMs: () => nowMs });
});

afterEach(async () => {
  await checks.close();
  await database.close();
  await dropScratchDatabase(url);
});

async function sweepAfter(minutes: number): Promise<number> {
  nowMs += minutes * minuteMs;
  return sweep.run();
}

async function countRows(): Promise<number> {
  const { rows } = await database.query<{ n: number }>('SELECT count(*) AS n FROM changes.model_changes');
  return rows[0]?.n ?? 0;
}

const change = () => database.query('UPDATE fruits SET weight = weight + 1');

describe('RecordedChangeRemover.run', () => {
  it('removes rows of transactions that had finished ten minutes ago', async () => {
    await change();
    await sweep.run();
    await change();
    expect(await sweepAfter(9)).toBe(0);
    const rows = await countRows();
    expect(await sweepAfter(1)).toBe(rows - 1);
    expect(await countRows()).toBe(1);
  });

  it('retains the row of an older transaction that is still open', async () => {
    const writer = await openWriter(url, 'INSERT INTO fruits VALUES (500, 1)');
    await change();
    await sweep.run();
    const entry = await createCachedValue(checks, fruitModel);
    await sweepAfter(10);
    await sweepAfter(60);
    await writer.end('commit');
    await sweepAfter(10);
    expect(await checks.isValueCurrent(entry)).toBe(false);
  });

  it('makes a process evict its cached values when the process was suspended for too long', async () => {
    await sweep.run();
    const entry = await createCachedValue(checks, fruitModel);
    await change();
    await sweepAfter(9);
    await sweepAfter(10);
    await sweepAfter(10);
    expect(await countRows()).toBe(0);
    expect(await checks.isValueCurrent(entry)).toBe(false);
  });

  it('does not evict values that are checked in time', async () => {
    await change();
    const entry = await createCachedValue(checks, fruitModel);
    for (let minute = 0; minute < 25; minute += 1) {
      await sweepAfter(1);
      await database.query("INSERT INTO crates (id, label) VALUES ($1, 'x')", [1000 + minute]);
      expect(await checks.isValueCurrent(entry)).toBe(true);
    }
  });

  it('makes no process evict cached values while no table changes', async () => {
    await sweep.run();
    await sweepAfter(10);
    await sweepAfter(10);
    const entry = await createCachedValue(checks, fruitModel);
    for (let n = 0; n < 3; n += 1) await sweepAfter(10);
    expect(await checks.isValueCurrent(entry)).toBe(true);
  });

  it('removes recorded changes and lowers changes.sweep_limit if they are from the dump of another database cluster', async () => {
    await database.query("INSERT INTO changes.model_changes VALUES (1, '900000000000'), (2, '900000000001')");
    await database.query("UPDATE changes.sweep_limit SET xid = '900000000000'");
    await change();
    const refused = await createCachedValue(checks, fruitModel);
    await database.query('UPDATE crates SET label = label');
    expect(await checks.isValueCurrent(refused)).toBe(false);
    expect(await sweep.run()).toBe(2);
    const accepted = await createCachedValue(checks, fruitModel);
    await database.query('UPDATE crates SET label = label');
    expect(await checks.isValueCurrent(accepted)).toBe(true);
  });
});
