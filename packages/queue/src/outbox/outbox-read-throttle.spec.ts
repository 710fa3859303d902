import { describe, expect, it } from 'vitest';
import type { QueueClock } from '../environment.js';
import { defaultOutboxSettings } from './outbox-options.js';
import { OutboxReadThrottle } from './outbox-read-throttle.js';

/** Returns a clock that advances only when the test calls `advance`. */
function handClock(): QueueClock & { advance(ms: number): void } {
  let now = 1_000;
  const timers = new Map<object, { at: number; run: () => void }>();
  return {
    now: () => now,
    setTimeout: (run, ms) => {
      const timer = {};
      timers.set(timer, { at: now + ms, run });
      return timer;
    },
    clearTimeout: (timer) => {
      if (typeof timer === 'object' && timer !== null) timers.delete(timer);
    },
    advance: (ms) => {
      now += ms;
      for (const [timer, { at, run }] of timers) {
        if (at > now) continue;
        timers.delete(timer);
        run();
      }
    },
  };
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

describe('OutboxReadThrottle', () => {
  it('allows immediate reads while each read returns a single row', async () => {
    const clock = handClock();
    const pace = new OutboxReadThrottle(20, clock);
    const runs: number[] = [];
    for (let n = 0; n < 3; n += 1) {
      await pace.waitForNextRead();
      pace.recordRowCountOfRead(1);
      runs.push(clock.now());
      clock.advance(1);
    }
    expect(runs).toEqual([1_000, 1_001, 1_002]);
  });

  it('allows one read every 20 ms under load', async () => {
    expect(defaultOutboxSettings.paceMs).toBe(20);
    const clock = handClock();
    const pace = new OutboxReadThrottle(20, clock);
    const runs: number[] = [];
    const drain = (): Promise<void> =>
      pace.waitForNextRead().then(() => {
        pace.recordRowCountOfRead(3);
        runs.push(clock.now());
      });
    await drain();
    clock.advance(5);
    const second = drain();
    clock.advance(14);
    await turn();
    expect(runs).toEqual([1_000]);
    clock.advance(1);
    await second;
    expect(runs).toEqual([1_000, 1_020]);
    clock.advance(20);
    await drain();
    expect(runs).toEqual([1_000, 1_020, 1_040]);
  });

  it('ends pending waits when the process stops', async () => {
    const clock = handClock();
    const pace = new OutboxReadThrottle(20, clock);
    let runs = 0;
    const drain = (): Promise<void> =>
      pace.waitForNextRead().then(() => {
        pace.recordRowCountOfRead(3);
        runs += 1;
      });
    await drain();
    const waiting = drain();
    pace.endWaitsForReads();
    await waiting;
    await drain();
    expect(runs).toBe(3);
  });
});
