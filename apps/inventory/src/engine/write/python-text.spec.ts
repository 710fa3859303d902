import { describe, expect, it } from 'vitest';
import { pythonText } from './python-text.js';

describe('values in messages', () => {
  it.each([
    [{ name: 'nope' }, "{'name': 'nope'}"],
    [{ a: null, b: true, c: [1, 2.5] }, "{'a': None, 'b': True, 'c': [1, 2.5]}"],
    [{ q: "it's" }, `{'q': "it's"}`],
    [{}, '{}'],
  ])('writes %j as the reference API does', (value, text) => {
    expect(pythonText(value)).toBe(text);
  });
});
