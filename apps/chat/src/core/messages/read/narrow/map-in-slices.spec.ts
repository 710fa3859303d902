import { describe, expect, it } from 'vitest';
import { mapInSlices } from './map-in-slices.js';

describe('mapInSlices', () => {
  it('maps all items in order and lets timers run in between', async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const busy = (item: number): number => {
      const until = performance.now() + 5;
      while (performance.now() < until);
      return item * 2;
    };
    const items = Array.from({ length: 20 }, (_, index) => index);
    expect(await mapInSlices(items, busy)).toEqual(items.map((item) => item * 2));
    clearInterval(timer);
    expect(ticks).toBeGreaterThanOrEqual(2);
  });
});
