import { describe, expect, it } from 'vitest';
import { findRegularExpressionProblem } from './check-regular-expression.js';

const limits = { patternLength: 300 };

describe('findRegularExpressionProblem', () => {
  it.each([
    String.raw`^\\1$`,
    String.raw`^[0-9a-f]{2}(:[0-9a-f]{2}){5}$`,
    String.raw`^(leaf|spine)-\d{1,3}\.(ams|ber)[[:digit:]]+$`,
    '(a?){50}',
    '^a{1,200}$',
  ])('accepts %s', (pattern) => {
    expect(findRegularExpressionProblem(pattern, limits)).toBeNull();
  });

  it.each([String.raw`(a)\1`, String.raw`(a)\\\1`, String.raw`[\]\1`, 'a'.repeat(301)])('rejects %s', (pattern) => {
    expect(findRegularExpressionProblem(pattern, limits)).toBe(
      'Enter a regular expression of at most 300 characters, without references.',
    );
  });

  it.each(['(((a{1,99}){1,99}){1,99}){1,99}', '((a|b{9,}){200}c){1,200}', '((((('.padEnd(200, 'a{255}')])(
    'rejects %s, whose nested quantifiers multiply',
    (pattern) => {
      const isRefused = findRegularExpressionProblem(pattern, limits) === 'Enter a valid regular expression.';
      expect(isRefused).toBe(true);
    },
  );
});
