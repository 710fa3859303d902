import { describe, expect, it } from 'vitest';
import { inventoryEnvironmentVariables, readConfig } from './config.js';

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

  it('passes the variables named by JINJA_ENVIRONMENT_PARAMS to templates, including variables with an empty string', () => {
    const env = { JINJA_ENVIRONMENT_PARAMS: 'SITE, TEAM,PORT,NONE', SITE: 'a', TEAM: '', PORT: '1', OTHER: 'x' };
    expect(readConfig(env).templateVariables).toEqual({ SITE: 'a', TEAM: '', PORT: '1' });
  });

  it('reads no variable whose name equals another variable plus _FILE, because such a name would be ambiguous', () => {
    const names = Object.keys(inventoryEnvironmentVariables.shape);
    expect(names.filter((name) => names.includes(`${name}_FILE`))).toEqual([]);
  });
});
