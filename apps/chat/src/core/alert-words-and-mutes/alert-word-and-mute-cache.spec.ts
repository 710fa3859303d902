import { describe, expect, it } from 'vitest';
import { containsAlertWord } from './alert-word-and-mute-cache.js';

describe('containsAlertWord', () => {
  it.each([
    ['the ghost walks', 'ghost', true],
    ['ghostly', 'ghost', false],
    ['aghast ghost', 'ghost', true],
    ['ghosts ghost', 'ghost', true],
    ['xa b, a b', 'a b', true],
    ['xa b', 'a b', false],
    ['c++ and c', 'c++', true],
    ['1c++', 'c++', false],
    ['a ++b', '++', true],
    ['ghost', 'ghost', true],
    ['', 'ghost', false],
  ])('searches the text "%s" for the alert word "%s"', (text, word, found) => {
    expect(containsAlertWord(text, word)).toBe(found);
  });

  it('searches a message with repeated letters for a thousand words in bounded time', () => {
    const text = 'a'.repeat(10_000);
    const begun = performance.now();
    for (let length = 1; length <= 1_000; length += 1)
      expect(containsAlertWord(text, 'a'.repeat(1 + (length % 99)))).toBe(false);
    expect(performance.now() - begun).toBeLessThan(1_500);
  });
});
