import { describe, expect, it } from 'vitest';
import { PreparedStatementNameAssigner } from './prepared-statement-names.js';

const times = (count: number, use: () => string | undefined): (string | undefined)[] =>
  Array.from({ length: count }, use);

describe('PreparedStatementNames.nameOf', () => {
  it('returns the same name from the fifth use of an SQL text on', () => {
    const names = new PreparedStatementNameAssigner();
    expect(times(6, () => names.countUseAndGetName('SELECT $1'))).toEqual([
      ...times(4, () => undefined),
      'auto_1',
      'auto_1',
    ]);
  });

  it('returns different names for different texts', () => {
    const names = new PreparedStatementNameAssigner();
    times(5, () => names.countUseAndGetName('SELECT $1'));
    expect(times(5, () => names.countUseAndGetName('SELECT $2')).at(-1)).toBe('auto_2');
  });

  it('discards all names and assigns new unique names when 1,000 texts have names', () => {
    const names = new PreparedStatementNameAssigner();
    for (let n = 0; n < 1_000; n += 1) times(5, () => names.countUseAndGetName(`SELECT ${n}, $1`));
    expect(names.countUseAndGetName('SELECT 999, $1')).toBe('auto_1000');
    expect(times(5, () => names.countUseAndGetName('SELECT 1000, $1')).at(-1)).toBe('auto_1001');
    expect(times(5, () => names.countUseAndGetName('SELECT 0, $1'))).toEqual([
      ...times(4, () => undefined),
      'auto_1002',
    ]);
  });

  it('assigns new names when the texts have 16 million characters in total', () => {
    const names = new PreparedStatementNameAssigner();
    const long = (n: number): string => `SELECT ${n} ${'x'.repeat(500_000)}`;
    for (let n = 1; n <= 40; n += 1) expect(times(5, () => names.countUseAndGetName(long(n))).at(-1)).toBe(`auto_${n}`);
    expect(names.countUseAndGetName(long(40))).toBe('auto_40');
    expect(names.countUseAndGetName(long(1))).toBeUndefined();
  });

  it('returns undefined for texts of more than half a million characters', () => {
    const names = new PreparedStatementNameAssigner();
    expect(times(6, () => names.countUseAndGetName(`SELECT ${'x'.repeat(600_000)}`)).at(-1)).toBeUndefined();
  });
});
