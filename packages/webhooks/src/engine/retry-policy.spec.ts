import { describe, expect, it } from 'vitest';
import { getPauseBeforeSearchMs } from './delivery-sweep.js';
import { isLoopbackReceiver } from './loopback-watch.js';
import { nextDelayMs, retryAfterMs } from './retry-policy.js';
import { webhookDefaults } from './webhook-settings.js';

describe('getPauseBeforeSearchMs', () => {
  it.each([
    [10, 10_000],
    [1_000, 20_000],
    [30_000, 60_000],
  ])('returns after %i ms of work a pause of %i ms', (tookMs, rest) => {
    expect(getPauseBeforeSearchMs(tookMs, 10_000)).toBe(rest);
  });
});

describe('isLoopbackReceiver', () => {
  it.each([
    ['http://localhost:9000', true],
    ['https://hooks.localhost', true],
    ['http://127.0.0.53:80', true],
    ['http://[::1]:9000', true],
    ['http://127.0.0.1.example.com', false],
    ['https://localhost.example.com', false],
    ['webhook 7', false],
  ])('returns for the receiver %s: %s', (receiver, expected) => {
    expect(isLoopbackReceiver(receiver)).toBe(expected);
  });
});

describe('Retry-After header', () => {
  it('parses seconds or a date, and ignores other values', () => {
    const now = Date.parse('2026-11-21T00:00:00Z');
    expect(retryAfterMs('120', now)).toBe(120_000);
    expect(retryAfterMs('Sat, 21 Nov 2026 00:00:30 GMT', now)).toBe(30_000);
    expect(retryAfterMs('Sat, 21 Nov 2026 00:00:30 GMT', now + 60_000)).toBe(0);
    expect(retryAfterMs('soon', now)).toBeUndefined();
    expect(retryAfterMs(undefined, now)).toBeUndefined();
  });

  it('lengthens a shorter delay up to a limit, and leaves a longer delay unchanged', () => {
    const { retry } = webhookDefaults;
    const wait = (asked: number) => nextDelayMs(retry, { failures: 1, retryAfterMs: asked, random: 0.5 });
    expect(wait(90_000)).toBe(90_000);
    expect(wait(1_000)).toBe(10_000);
    expect(wait(1e12)).toBe(retry.maxMs);
  });
});
