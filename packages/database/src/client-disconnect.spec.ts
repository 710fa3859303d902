import { describe, expect, it } from 'vitest';
import { onlyReads } from './client-disconnect.js';

describe('onlyReads', () => {
  it.each(['SELECT 1', '\n  select updated FROM t', 'WITH a AS (SELECT 1) SELECT * FROM a', 'VALUES (1)'])(
    'returns true for %j, each time',
    (sql) => {
      expect([onlyReads(sql), onlyReads(sql)]).toEqual([true, true]);
    },
  );

  it.each([
    'INSERT INTO t VALUES (1)',
    'WITH gone AS (DELETE FROM t RETURNING id) SELECT * FROM gone',
    'WITH a AS (SELECT 1)\nupdate t SET id = 1',
    'SELECT 1 FROM t FOR UPDATE',
    'LOCK TABLE t',
  ])('returns false for %j, which may write', (sql) => {
    expect(onlyReads(sql)).toBe(false);
  });
});
