import { describe, expect, it } from 'vitest';
import { PreparedNames } from './prepared-names.js';

const times = (count: number, use: () => string | undefined): (string | undefined)[] =>
  Array.from({ length: count }, use);

describe('names of prepared statements', () => {
  it('exist from the fifth use of a text on, and remain the same', () => {
    const names = new PreparedNames();
    expect(times(6, () => names.nameOf('SELECT $1'))).toEqual([...times(4, () => undefined), 'auto_1', 'auto_1']);
  });

  it('differ between texts', () => {
    const names = new PreparedNames();
    times(5, () => names.nameOf('SELECT $1'));
    expect(times(5, () => names.nameOf('SELECT $2')).at(-1)).toBe('auto_2');
  });

  it('exist for at most 1,000 texts', () => {
    const names = new PreparedNames();
    for (let n = 0; n < 1_100; n += 1) times(5, () => names.nameOf(`SELECT ${n}, $1`));
    expect(names.nameOf('SELECT 0, $1')).toBe('auto_1');
    expect(names.nameOf('SELECT 999, $1')).toBe('auto_1000');
    expect(names.nameOf('SELECT 1000, $1')).toBeUndefined();
  });

  it('exist for texts of at most 16 million characters in total', () => {
    const names = new PreparedNames();
    const long = (n: number): string => `SELECT ${n} ${'x'.repeat(1_000_000)}`;
    const named = Array.from({ length: 20 }, (_, n) => times(5, () => names.nameOf(long(n))).at(-1));
    expect(named.filter((name) => name !== undefined)).toHaveLength(16);
    expect(times(5, () => names.nameOf('SELECT $1')).at(-1)).toBe('auto_17');
  });
});
