import { describe, expect, it } from 'vitest';
import { mapInSlices } from './map-in-slices.js';

describe('mapInSlices', () => {
  it('keeps the order and lets the event loop run between slices', async () => {
    let rounds = 0;
    let isCounting = true;
    const count = (): void => {
      rounds += 1;
      if (isCounting) setImmediate(count);
    };
    setImmediate(count);
    const numbers = Array.from({ length: 1_200 }, (_, index) => index);
    const mapped = await mapInSlices(numbers, async (number, index) => ({ number, index, rounds }));
    isCounting = false;
    expect(mapped.map(({ number, index }) => [number, index])).toEqual(numbers.map((number) => [number, number]));
    expect([mapped[0], mapped[499]]).toMatchObject([{ rounds: 0 }, { rounds: 0 }]);
    expect(mapped[500]?.rounds).toBeGreaterThan(0);
    expect(mapped[1_000]?.rounds).toBeGreaterThan(mapped[500]?.rounds ?? 0);
  });
});
