import { describe, expect, it } from 'vitest';
import { ignoredBy } from './ignore-rules.js';

describe('ignoredBy', () => {
  it.each([
    ['*.txt', 'a.txt', true],
    ['*.txt', 'sub/a.txt', true],
    ['*.txt', 'a.TXT', false],
    ['sub/*', 'sub/deep/a.txt', true],
    ['a?.txt', 'ab.txt', true],
    ['a?.txt', 'a.txt', false],
    ['[ab].txt', 'b.txt', true],
    ['[!ab].txt', 'b.txt', false],
    ['[a-c]*', 'cat', true],
    ['[a-c]*', 'dog', false],
    ['[]]', ']', true],
    ['[a', '[a', true],
    ['(a|b)+', 'a', false],
    ['', 'a', false],
  ])('applies the rule %j to %j: %s', (rules, path, expected) => {
    expect(ignoredBy(rules)(path)).toBe(expected);
  });

  it.each(['.hidden', '.git/config', 'sub/.hidden'])('leaves out the hidden file %s', (path) => {
    expect(ignoredBy('')(path)).toBe(true);
  });

  it('applies each line of several rules', () => {
    const isIgnored = ignoredBy('*.md\r\n*.txt\n');
    expect([isIgnored('a.md'), isIgnored('a.txt'), isIgnored('a.j2')]).toEqual([true, true, false]);
  });

  it('matches many asterisks in a bounded number of steps', () => {
    expect(ignoredBy(`${'*a'.repeat(200)}b`)('a'.repeat(900))).toBe(false);
  });
});
