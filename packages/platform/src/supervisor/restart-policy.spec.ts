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
});
