import { describe, expect, it, vi } from 'vitest';
import { isReadOnlyStatement } from './client-disconnect.js';

describe('isReadOnlyStatement', () => {
  it.each(['SELECT 1', '\n  select updated FROM t', 'WITH a AS (SELECT 1) SELECT * FROM a', 'VALUES (1)'])(
    'returns true for %j on the first and on a repeated call',
    (sql) => {
      expect([isReadOnlyStatement(sql), isReadOnlyStatement(sql)]).toEqual([true, true]);
    },
  );

  it.each([
    'INSERT INTO t VALUES (1)',
    'WITH gone AS (DELETE FROM t RETURNING id) SELECT * FROM gone',
    'WITH a AS (SELECT 1)\nupdate t SET id = 1',
    'SELECT 1 FROM t FOR UPDATE',
    'LOCK TABLE t',
  ])('returns false for %j, which may write', (sql) => {
    expect(isReadOnlyStatement(sql)).toBe(false);
  });

  it('caches results for texts of up to 8 MiB in total, and caches no result for a longer text', () => {
    const checks = vi.spyOn(RegExp.prototype, 'test');
    const isChecked = (sql: string): boolean => {
      checks.mockClear();
      isReadOnlyStatement(sql);
      return checks.mock.calls.length > 0;
    };
    const short = 'SELECT short';
    const long = (name: string): string => `SELECT '${name.repeat(5 * 1024 * 1024)}'`;
    const found = [short, short, long('a'), long('a'), short, long('b'), short].map(isChecked);
    const tooLong = [long('ab'), long('ab'), short].map(isChecked);
    checks.mockRestore();
    expect(found).toEqual([true, false, true, false, false, true, true]);
    expect(tooLong).toEqual([true, true, false]);
  });
});
