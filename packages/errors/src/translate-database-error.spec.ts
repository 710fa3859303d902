import { describe, expect, it } from 'vitest';
import { isRetryableTransactionError, convertErrorToDatabaseFault } from './index.js';

const serverError = (code: string, more: object = {}) =>
  Object.assign(new Error('refused'), { code, severity: 'ERROR', ...more });

describe('convertErrorToDatabaseFault', () => {
  it.each([
    ['08006', 'unavailable'],
    ['22001', 'value'],
    ['22P02', 'value'],
    ['23001', 'foreign_key'],
    ['23502', 'not_null'],
    ['23503', 'foreign_key'],
    ['23505', 'unique'],
    ['23514', 'check'],
    ['23P01', 'exclusion'],
    ['25006', 'unavailable'],
    ['40001', 'serialization'],
    ['40P01', 'deadlock'],
    ['53200', 'unavailable'],
    ['53300', 'unavailable'],
    ['55P03', 'timeout'],
    ['57014', 'timeout'],
    ['57P01', 'unavailable'],
    ['57P03', 'unavailable'],
  ])('maps SQLSTATE %s to %s', (code, kind) => {
    expect(convertErrorToDatabaseFault(serverError(code))?.kind).toBe(kind);
  });

  it.each(['42601', '42P01', 'XX000'])('returns null for SQLSTATE %s, which indicates a programming error', (code) => {
    expect(convertErrorToDatabaseFault(serverError(code))).toBeNull();
  });

  it('returns the columns of a unique key that contains an expression', () => {
    const detail = 'Key (realm_id, lower(name), "Mixed")=(1, a, b) already exists.';
    expect(convertErrorToDatabaseFault(serverError('23505', { detail }))?.columns).toEqual([
      'realm_id',
      'lower(name)',
      'Mixed',
    ]);
  });

  it('maps EPIPE of Node to a lost connection', () => {
    expect(convertErrorToDatabaseFault(Object.assign(new Error('write'), { code: 'EPIPE' }))?.kind).toBe('unavailable');
    expect(convertErrorToDatabaseFault(Object.assign(new Error('no such file'), { code: 'ENOENT' }))).toBeNull();
  });

  it('finds a database error in the cause chain', () => {
    const wrapped = new Error('outer', { cause: new Error('middle', { cause: serverError('40001') }) });
    expect(convertErrorToDatabaseFault(wrapped)?.kind).toBe('serialization');
    expect(isRetryableTransactionError(wrapped)).toBe(true);
  });

  it('terminates on circular causes', () => {
    const one = new Error('one');
    const two = new Error('two', { cause: one });
    one.cause = two;
    expect(convertErrorToDatabaseFault(two)).toBeNull();
  });

  it.each([null, undefined, 'text', 40001, {}])('returns null for %j', (value) => {
    expect(convertErrorToDatabaseFault(value)).toBeNull();
    expect(isRetryableTransactionError(value)).toBe(false);
  });

  it.each([
    ['P2002', 'unique'],
    ['P2003', 'foreign_key'],
    ['P2025', 'not_found'],
    ['P2034', 'serialization'],
    ['P1001', 'unavailable'],
    ['P2000', 'value'],
  ])('maps the Prisma error %s to %s without the text of the driver', (code, kind) => {
    expect(convertErrorToDatabaseFault(Object.assign(new Error('prisma'), { code }))?.kind).toBe(kind);
  });

  it('reads the columns from meta.target of older Prisma versions', () => {
    const error = Object.assign(new Error('prisma'), { code: 'P2002', meta: { target: ['realm_id', 'email'] } });
    expect(convertErrorToDatabaseFault(error)).toEqual({ kind: 'unique', columns: ['realm_id', 'email'] });
  });
});
