import { describe, expect, it } from 'vitest';
import { FakeClock } from './fake-clock.js';
import { waitFor } from './wait-for.js';

describe('FakeClock', () => {
  it('runs due timers in order, each at its own time', async () => {
    const clock = new FakeClock(0);
    const calls: [string, number][] = [];
    clock.setTimeout(() => calls.push(['late', clock.now()]), 20);
    clock.setTimeout(() => calls.push(['early', clock.now()]), 10);
    clock.setTimeout(() => calls.push(['never', clock.now()]), 31);
    await clock.advanceTime(30);
    expect(calls).toEqual([
      ['early', 10],
      ['late', 20],
    ]);
    expect(clock.now()).toBe(30);
    expect(clock.pendingTimerCount).toBe(1);
  });

  it('runs timers that earlier timers set after awaiting a promise', async () => {
    const clock = new FakeClock(0);
    let ticks = 0;
    const tick = (): void => {
      ticks++;
      void Promise.resolve().then(() => clock.setTimeout(tick, 10));
    };
    clock.setTimeout(tick, 10);
    await clock.advanceTime(35);
    expect(ticks).toBe(3);
  });

  it('runs no cancelled call', async () => {
    const clock = new FakeClock();
    let called = false;
    clock.clearTimeout(clock.setTimeout(() => (called = true), 1));
    await clock.advanceTime(10);
    expect(called).toBe(false);
  });
});

describe('waitFor', () => {
  it('returns the first truthy result after errors and empty results', async () => {
    let asked = 0;
    const response = await waitFor(() => {
      asked++;
      if (asked === 1) {
        throw new Error('not yet');
      }
      return asked < 3 ? undefined : { asked };
    });
    expect(response).toEqual({ asked: 3 });
  });

  it('throws an error with the name of the condition and the last error as cause', async () => {
    const failing = waitFor(() => Promise.reject(new Error('closed')), { timeoutMs: 20, what: 'the door' });
    await expect(failing).rejects.toMatchObject({
      message: 'Waited 20 ms for the door',
      cause: { message: 'closed' },
    });
  });
});
