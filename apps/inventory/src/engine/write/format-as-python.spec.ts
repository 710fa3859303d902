import { describe, expect, it } from 'vitest';
import { formatAsPython } from './format-as-python.js';

describe('formatAsPython', () => {
  it.each([
    [{ name: 'nope' }, "{'name': 'nope'}"],
    [{ a: null, b: true, c: [1, 2.5] }, "{'a': None, 'b': True, 'c': [1, 2.5]}"],
    [{ q: "it's" }, `{'q': "it's"}`],
    [{}, '{}'],
  ])('formats %j like the reference API', (value, text) => {
    expect(formatAsPython(value)).toBe(text);
  });
});
