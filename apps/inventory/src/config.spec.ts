import { describe, expect, it } from 'vitest';
import { readConfig } from './config.js';

describe('readConfig', () => {
  it('requires the secrets of the inventory service in production', () => {
    expect(() => readConfig({ NODE_ENV: 'production' })).toThrow(/SECRET_ENCRYPTION_KEYS[^]*SECRET_PEPPERS/);
    expect(readConfig({}).NODE_ENV).toBe('development');
  });

  it.each([
    ['0', null],
    ['None', null],
    ['', null],
    ['250', 250],
  ])('parses MAX_PAGE_SIZE=%s as %s', (value, cap) => {
    expect(readConfig({ MAX_PAGE_SIZE: value }).MAX_PAGE_SIZE).toBe(cap);
  });
});
