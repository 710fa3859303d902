import { describe, expect, it } from 'vitest';
import { estimateRegularExpressionSize } from './regular-expression-size.js';

describe('estimateRegularExpressionSize', () => {
  it.each([
    ['abc', 3],
    ['a{10}', 10],
    ['(?:ab){10}', 30],
    ['(?P<id>[0-9a-f]{40})', 41],
    ['[a-z]{1,50}', 50],
    ['a{5,}', 5],
    [String.raw`\pL{10}`, 10],
    [String.raw`\p{Greek}{10}\Qx{9}\E`, 18],
    ['[]{9}]{3}', 3],
    ['a{x}', 4],
    ['((a{10}){10})', 111],
  ])('estimates that %s compiles to %i instructions', (pattern, size) => {
    expect(estimateRegularExpressionSize(pattern)).toBe(size);
  });

  it('accepts a pattern with an unclosed group', () => {
    expect(estimateRegularExpressionSize('((([[[')).toBeGreaterThan(0);
  });
});
