import { describe, expect, it } from 'vitest';
import { RestartPolicy } from './restart-policy.js';

describe('RestartPolicy', () => {
  it('returns growing delays from 0.2 to 5 s, and null at the fifth death within a minute', () => {
    const policy = new RestartPolicy();
    expect([0, 1, 2, 3, 4].map((second) => policy.recordDeath(second * 1_000))).toEqual([200, 600, 1_800, 5_000, null]);
  });

  it('does not count deaths that are a minute old', () => {
    const policy = new RestartPolicy();
    expect([0, 20_000, 40_000, 60_000, 80_000].map((time) => policy.recordDeath(time))).toEqual([
      200, 600, 1_800, 1_800, 1_800,
    ]);
  });

  it('returns null only after twice as many deaths as processes when five or more processes run', () => {
    const policy = new RestartPolicy(6);
    const delays = Array.from({ length: 12 }, () => policy.recordDeath(0));
    expect(delays.slice(0, -1)).not.toContain(null);
    expect(delays.at(-1)).toBeNull();
    const smaller = new RestartPolicy(4);
    expect(Array.from({ length: 5 }, () => smaller.recordDeath(0)).at(-1)).toBeNull();
  });

  it('increases the delay but never returns null for deaths that are not counted', () => {
    const policy = new RestartPolicy();
    const delays = Array.from({ length: 9 }, () => policy.recordDeath(0, { isCounted: false }));
    expect(delays).toEqual([200, 600, 1_800, 5_000, 5_000, 5_000, 5_000, 5_000, 5_000]);
    expect(policy.recordDeath(0)).toBe(5_000);
  });
});
