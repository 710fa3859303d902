import { describe, expect, it } from 'vitest';
import { mapWithEventLoopPauses } from './map-with-event-loop-pauses.js';

/** Blocks the event loop of the process for the given number of milliseconds. */
function block(ms: number): void {
  const until = performance.now() + ms;
  while (performance.now() < until);
}

describe('mapWithEventLoopPauses', () => {
  it('maps all items in order, and lets timers run between portions', async () => {
    let ticks = 0;
    const timer = setInterval(() => (ticks += 1), 1);
    const busy = (item: number): number => {
      block(5);
      return item * 2;
    };
    const items = Array.from({ length: 20 }, (_, index) => index);
    expect(await mapWithEventLoopPauses(items, busy)).toEqual(items.map((item) => item * 2));
    clearInterval(timer);
    expect(ticks).toBeGreaterThanOrEqual(2);
  });

  it('continues at most one of several concurrent calls per iteration of the event loop', async () => {
    const countsByTurn: number[] = [0];
    let isDone = false;
    const nextTurn = (): void => {
      countsByTurn.push(0);
      if (!isDone) setImmediate(nextTurn);
    };
    setImmediate(nextTurn);
    const map = (): void => {
      countsByTurn[countsByTurn.length - 1]! += 1;
      block(21);
    };
    await Promise.all([1, 2, 3, 4, 5].map(() => mapWithEventLoopPauses([1, 2, 3, 4], map)));
    isDone = true;
    expect(Math.max(...countsByTurn)).toBe(1);
  });
});
