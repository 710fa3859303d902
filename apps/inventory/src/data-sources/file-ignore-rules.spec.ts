import { describe, expect, it } from 'vitest';
import { createFileIgnoreCheck } from './file-ignore-rules.js';

describe('createFileIgnoreCheck', () => {
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
  ])('applies the rule %j to %j: %s', async (rules, path, expected) => {
    expect(await createFileIgnoreCheck(rules)(path)).toBe(expected);
  });

  it.each(['.hidden', '.git/config', 'sub/.hidden'])('ignores the hidden file %s', async (path) => {
    expect(await createFileIgnoreCheck('')(path)).toBe(true);
  });

  it('applies every line of a text with several rules', async () => {
    const found = ['a.md', 'a.txt', 'a.j2'].map(createFileIgnoreCheck('*.md\r\n*.txt\n'));
    expect(await Promise.all(found)).toEqual([true, true, false]);
  });

  it('matches a pattern with many asterisks in a bounded number of steps', async () => {
    expect(await createFileIgnoreCheck(`${'*a'.repeat(200)}b`)('a'.repeat(900))).toBe(false);
  });

  it('lets the event loop run while a path is compared with many slow patterns', async () => {
    // Each pattern fails at each position of the path only at its end.
    const isIgnored = createFileIgnoreCheck(`*${'?'.repeat(400)}b\n`.repeat(100));
    const work = isIgnored('a'.repeat(1000));
    let rounds = 0;
    const count = (): void => {
      rounds += 1;
      if (!isDone) setImmediate(count);
    };
    let isDone = false;
    setImmediate(count);
    expect(await work).toBe(false);
    isDone = true;
    expect(rounds).toBeGreaterThan(10);
  });

  it('rejects with the abort reason of its signal', async () => {
    const ignored = createFileIgnoreCheck('*.txt\n*.md', AbortSignal.abort(new Error('too late')))('a.md');
    await expect(ignored).rejects.toThrow('too late');
  });
});
