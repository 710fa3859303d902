import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { ConfigError } from './config-error.js';
import { describeEnvironmentVariables } from './describe-environment-variables.js';
import { booleanVariableSchema, integerVariableSchema, listVariableSchema } from './environment-variable-schemas.js';
import { parseEnvironmentValues } from './parse-environment.js';
import { platformEnvironmentSchema } from './platform-environment.js';

const schema = z.object({
  NODE_ENV: z.enum(['development', 'production']).default('development'),
  PORT: integerVariableSchema({ min: 1, max: 65_535 }).default(8000).meta({ description: 'Port' }),
  VERBOSE: booleanVariableSchema().default(false),
  HOSTS: listVariableSchema().default([]),
  DATABASE_URL: z.url().meta({ secret: true, description: 'Where rows live' }),
  PEPPER: z
    .string()
    .min(8)
    .default('development')
    .meta({ secret: true, requiredInProduction: true, description: 'Hashes keys' }),
});

function problemsOf(env: Record<string, string>, of: z.ZodObject = schema): string {
  try {
    parseEnvironmentValues(of, env);
  } catch (error) {
    if (error instanceof ConfigError) {
      return error.message;
    }
    throw error;
  }
  return '';
}

const validEnv = { DATABASE_URL: 'postgres://h/d' };

describe('parseEnvironmentValues', () => {
  it('returns defaults and parsed values', () => {
    expect(parseEnvironmentValues(schema, { ...validEnv, PORT: '9991', VERBOSE: 'true', HOSTS: 'a, b,' })).toEqual({
      NODE_ENV: 'development',
      PORT: 9991,
      VERBOSE: true,
      HOSTS: ['a', 'b'],
      DATABASE_URL: 'postgres://h/d',
      PEPPER: 'development',
    });
  });

  it('treats a variable with an empty string as absent', () => {
    expect(parseEnvironmentValues(schema, { ...validEnv, PORT: '' }).PORT).toBe(8000);
    expect(problemsOf({ DATABASE_URL: '' })).toContain('DATABASE_URL: is missing');
  });

  it('reports all invalid variables in one error', () => {
    const message = problemsOf({ PORT: '70000', VERBOSE: 'yes', NODE_ENV: 'prod' });
    for (const name of ['PORT', 'VERBOSE', 'NODE_ENV', 'DATABASE_URL']) {
      expect(message).toContain(`  ${name}: `);
    }
    expect(message).toContain('(got "70000")');
  });

  it('never shows the value of a secret, not even in messages of other rules', () => {
    const quoting = schema.extend({
      PEPPER: z
        .string()
        .refine(() => false, { error: (issue) => `cannot be ${String(issue.input)}` })
        .meta({ secret: true }),
    });
    const message = problemsOf({ DATABASE_URL: 'postgres:hunter2 x', PEPPER: 'hunter3' }, quoting);
    expect(message).toContain('PEPPER: cannot be [hidden]');
    expect(message).not.toContain('hunter');
  });

  it('requires variables marked for production in production, even if they have defaults', () => {
    expect(problemsOf({ ...validEnv, NODE_ENV: 'production' })).toContain(
      'PEPPER: must be given when NODE_ENV is production',
    );
    expect(problemsOf({ ...validEnv, NODE_ENV: 'production', PEPPER: 'long enough' })).toBe('');
  });

  it('parses a fault point, and rejects fault points in production', () => {
    const faults = (env: Record<string, string>) =>
      problemsOf({ FAULT_POINT: 'a.b-c:3', ...env }, platformEnvironmentSchema);
    expect(parseEnvironmentValues(platformEnvironmentSchema, { FAULT_POINT: 'a.b-c:3' }).FAULT_POINT).toEqual({
      name: 'a.b-c',
      nth: 3,
    });
    expect(faults({ FAULT_POINT: 'a.b-c' })).toContain('FAULT_POINT: must read name:nth');
    expect(faults({ NODE_ENV: 'production' })).toContain('FAULT_POINT: must not be given when NODE_ENV is production');
  });

  it('rejects numbers with trailing text', () => {
    for (const value of ['12px', '1.5', '1e3', ' 7', '0x10']) {
      expect(problemsOf({ ...validEnv, PORT: value })).toContain('PORT: ');
    }
  });

  it('parses trusted proxies in all four forms', () => {
    const trusted = (value: string) =>
      parseEnvironmentValues(platformEnvironmentSchema, { TRUST_PROXY: value }).TRUST_PROXY;
    expect(['true', 'false', '2', '10.0.0.0/8,::1'].map(trusted)).toEqual([true, false, 2, '10.0.0.0/8,::1']);
    for (const value of ['loopback, 192.0.2.1', 'fd00::/8', '10.0.0.0/255.0.0.0']) expect(trusted(value)).toBe(value);
  });

  it.each([
    'yes',
    'proxy.example.com',
    '10.0.0.0/33',
    '10.0.0.0/0',
    '::/0',
    '10.0.0.0/8/8',
    '10.0.0.0/255.0.255.0',
    '1,',
    '11',
  ])('rejects %s as trusted proxies, because only numbers up to 10, addresses and networks are valid', (value) => {
    expect(problemsOf({ TRUST_PROXY: value }, platformEnvironmentSchema)).toContain(
      'TRUST_PROXY: must be false, a number of proxies up to 10, or addresses and networks separated by commas',
    );
  });

  it('rejects trust in every proxy in production, and names the alternative in the error', () => {
    const production = (value: string) =>
      problemsOf({ TRUST_PROXY: value, NODE_ENV: 'production' }, platformEnvironmentSchema);
    const message = production('true');
    expect(message).toMatch(
      /TRUST_PROXY: must not be true in production.*number of proxies in front, such as 1, or to/,
    );
    expect(['false', '1', '172.16.0.0/12'].map(production)).toEqual(['', '', '']);
  });
});

describe('describeEnvironmentVariables', () => {
  it('returns name, default, requirement and description, but no default of a secret', () => {
    expect(describeEnvironmentVariables(schema).filter(({ name }) => name === 'PORT' || name === 'PEPPER')).toEqual([
      {
        name: 'PORT',
        default: '8000',
        required: false,
        requiredInProduction: false,
        description: 'Port',
        secret: false,
      },
      {
        name: 'PEPPER',
        default: '',
        required: false,
        requiredInProduction: true,
        description: 'Hashes keys',
        secret: true,
      },
    ]);
    expect(describeEnvironmentVariables(schema).find(({ name }) => name === 'DATABASE_URL')?.required).toBe(true);
  });

  it('includes a description of every platform variable', () => {
    expect(
      describeEnvironmentVariables(platformEnvironmentSchema).filter(({ description }) => description === ''),
    ).toEqual([]);
  });
});
