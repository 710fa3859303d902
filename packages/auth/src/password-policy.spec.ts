import { describe, expect, it, vi } from 'vitest';
import { type PasswordPolicy, findUnmetPasswordRequirements } from './password-policy.js';

describe('findUnmetPasswordRequirements', () => {
  const strict: PasswordPolicy = { minLength: 4, maxLength: 40, requires: ['digit', 'uppercase', 'lowercase'] };

  it.each([
    ['Ab12', []],
    ['Ab1', ['too_short']],
    ['Ab1'.repeat(14), ['too_long']],
    ['abcd', ['no_digit', 'no_uppercase']],
    ['ÄÖÜ', ['too_short', 'no_digit', 'no_lowercase']],
    ['🂡🂢🂣', ['too_short', 'no_digit', 'no_uppercase', 'no_lowercase']],
  ])('returns the unmet requirements of the password %s', (password, problems) => {
    expect(findUnmetPasswordRequirements(password, strict)).toEqual(problems);
  });

  /**
   * Returns a simple estimate of guesses for the tests: 10 to the power of the number of distinct characters of a text.
   */
  const estimateGuesses = (text: string) => 10 ** new Set(text).size;
  const guarded: PasswordPolicy = { minLength: 4, maxLength: 100, minGuesses: 10_000, estimateGuesses };

  it.each([
    ['abca', ['too_guessable']],
    ['abcd', []],
    ['abcabcabcabc', ['too_guessable']],
    [`${'a'.repeat(50)}bcd`, []],
    [`${'a'.repeat(50)}b`, ['too_guessable']],
    ['ab', ['too_short']],
  ])('compares the estimated number of guesses for the password %s with the required number', (password, problems) => {
    expect(findUnmetPasswordRequirements(password, guarded)).toEqual(problems);
  });

  it('estimates at most 16 characters at a time, and nothing for a password that is too long', () => {
    const estimate = vi.fn<(text: string) => number>(() => 1);
    findUnmetPasswordRequirements(`${'x1y2'.repeat(24)}zzz`, { ...guarded, estimateGuesses: estimate });
    expect(estimate.mock.calls).toEqual([['x1y2x1y2x1y2x1y2'], ['2x1y2x1y2x1y2zzz']]);
    estimate.mockClear();
    findUnmetPasswordRequirements('x'.repeat(101), { ...guarded, estimateGuesses: estimate });
    expect(estimate).not.toHaveBeenCalled();
  });
});
