import { describe, expect, it } from 'vitest';
import { stringifyListWithPauses, mapWithEventLoopPauses } from './map-with-event-loop-pauses.js';

describe('mapWithEventLoopPauses', () => {
  it('preserves the order of items, and lets the event loop run between batches', async () => {
    let rounds = 0;
    let isCounting = true;
    const count = (): void => {
      rounds += 1;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const numbers = Array.from({ length: 240 }, (_, index) => index);
    const mapped = await mapWithEventLoopPauses(numbers, async (number, index) => ({ number, index, rounds }));
    isCounting = false;
    expect(mapped.map(({ number, index }) => [number, index])).toEqual(numbers.map((number) => [number, number]));
    expect([mapped[0], mapped[99]]).toMatchObject([{ rounds: 0 }, { rounds: 0 }]);
    expect(mapped[100]?.rounds).toBeGreaterThan(0);
    expect(mapped[200]?.rounds).toBeGreaterThan(mapped[100]?.rounds ?? 0);
  });
});

describe('stringifyListWithPauses', () => {
  it('returns the same text as JSON.stringify', async () => {
    const items = Array.from({ length: 240 }, (_, id) => ({ id, name: `"${id}"`, absent: undefined, none: null }));
    expect(await stringifyListWithPauses(items)).toBe(JSON.stringify(items));
    expect(await stringifyListWithPauses([])).toBe('[]');
  });
});
