import { readdirSync } from 'node:fs';
import type pg from 'pg';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { applyQueueMigrations, QueueMigrationError } from '../src/index.js';
import { testPool } from './support.js';

let pool: pg.Pool;
let drop: () => Promise<void>;

const files = readdirSync(new URL('../sql/', import.meta.url)).toSorted();

beforeEach(async () => {
  ({ pool, drop } = await testPool());
});
afterEach(() => drop());

it('ten processes that start together on a new database apply each file once, in order', async () => {
  await pool.query('DROP SCHEMA queue CASCADE');
  const results = await Promise.all(Array.from({ length: 10 }, () => applyQueueMigrations(pool)));
  const applied = results.filter((result) => result.applied.length > 0);
  expect(applied).toEqual([{ applied: files }]);
  const { rows } = await pool.query<{ name: string }>('SELECT name FROM queue.migrations ORDER BY version');
  expect(rows.map(({ name }) => name)).toEqual(files);
});

it.each([
  ["UPDATE queue.migrations SET checksum = 'another' WHERE version = 1", `${files[0]} was edited after it was applied`],
  ["INSERT INTO queue.migrations VALUES (999, '999_later.sql', '')", '999_later.sql, which this version'],
])('a database that does not fit the files is refused, and stays as it is: %s', async (change, message) => {
  await pool.query(change);
  const state = async (): Promise<unknown[]> =>
    (await pool.query('SELECT * FROM queue.migrations ORDER BY version')).rows;
  const before = await state();
  const refused = applyQueueMigrations(pool);
  await expect(refused).rejects.toThrow(QueueMigrationError);
  await expect(refused).rejects.toThrow(message);
  expect(await state()).toEqual(before);
});
