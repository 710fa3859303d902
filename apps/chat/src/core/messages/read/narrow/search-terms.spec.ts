import { describe, expect, it } from 'vitest';
import { containsTrigram } from './search-terms.js';

describe('containsTrigram', () => {
  it.each(['abc', 'x--abc', 'a bc ', ' ab', '-ab', 'ab-', '123'])('returns true for %j', (literal) => {
    expect(containsTrigram(literal)).toBe(true);
  });

  it.each(['ab', 'a b', '&&', 'é', 'abé'])(
    'returns false for %j, whose trigram search would read the whole index',
    (literal) => {
      expect(containsTrigram(literal)).toBe(false);
    },
  );
});
