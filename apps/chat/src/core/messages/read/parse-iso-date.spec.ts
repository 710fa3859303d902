import { describe, expect, it } from 'vitest';
import { normalizeIsoDate } from './parse-iso-date.js';

describe('normalizeIsoDate', () => {
  it.each([
    ['2026-02-28', '2026-02-28'],
    ['20260228', '2026-02-28'],
    ['2026-059', '2026-02-28'],
    ['2026059', '2026-02-28'],
    ['2024-366', '2024-12-31'],
    ['2026-W09-6', '2026-02-28'],
    ['2026W096', '2026-02-28'],
    ['2026-W09', '2026-02-23'],
    ['2026-w01-1', '2025-12-29'],
    ['2020-W53-7', '2021-01-03'],
    ['0099-W10-1', '0099-03-02'],
  ])('parses %s as %s', (text, date) => {
    expect(normalizeIsoDate(text)).toBe(date);
  });

  it.each([
    ['a day that the month does not have', '2026-02-30'],
    ['a day that the year does not have', '2026-366'],
    ['day zero', '2026-000'],
    ['a week that the year does not have', '2026-W54-1'],
    ['week zero', '2026-W00-1'],
    ['an eighth day of the week', '2026-W09-8'],
    ['mixed forms', '2026-W096'],
    ['a month alone', '2026-02'],
  ])('rejects %s', (_name, text) => {
    expect(normalizeIsoDate(text)).toBeNull();
  });
});
