import { describe, expect, it } from 'vitest';
import { parseYaml } from './parse-yaml.js';

const keys = (count: number): string => Array.from({ length: count }, (_, index) => `k${index}: v`).join('\n');

describe('parseYaml', () => {
  it.each([1, 2000])('parses a text of %i keys, and uses the last value of a repeated key', async (count) => {
    const found = await parseYaml(`${keys(count)}\nk0: yes`);
    const value: unknown = 'json' in found ? JSON.parse(found.json) : null;
    expect(value).toMatchObject({ k0: true });
    expect(Object.keys(Object(value))).toHaveLength(count);
  });

  it.each([10, 10_000])('returns the syntax error of a text with %i spaces', async (count) => {
    const found = await parseYaml(`a: [1${' '.repeat(count)}`);
    expect(found).toEqual({ error: expect.stringContaining('Flow sequence') });
  });

  it('lets the event loop run while it parses a long text', async () => {
    let rounds = 0;
    let isDone = false;
    const count = (): void => {
      rounds += 1;
      if (!isDone) setImmediate(count);
    };
    setImmediate(count);
    expect(await parseYaml(keys(15_000))).toHaveProperty('json');
    isDone = true;
    expect(rounds).toBeGreaterThan(20);
  });

  it('returns an error for a text that takes too long to parse', async () => {
    expect(await parseYaml(`${'&a '.repeat(80_000)}x`, 100)).toEqual({
      error: 'The file takes too long or too much memory to be parsed as YAML.',
    });
  });

  it('rejects a short text whose aliases expand to a long value', async () => {
    const text = `a: &a "${'x'.repeat(3000)}"\nb: &b [${'*a, '.repeat(20)}]\nc: [${'*b, '.repeat(90)}]`;
    const found = await parseYaml(text);
    expect('error' in found ? found.error : '').toMatch(/alias/i);
  });
});
