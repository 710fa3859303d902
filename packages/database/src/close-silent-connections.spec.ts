import { describe, expect, it } from 'vitest';
import { findStatementTimeLimitSetBySql } from './close-silent-connections.js';

describe('findStatementTimeLimitSetBySql', () => {
  it.each<[text: string, values: unknown, limitMs: number | undefined]>([
    ['SET LOCAL statement_timeout = 1500', undefined, 1500],
    ['BEGIN; SET LOCAL statement_timeout = 600000', undefined, 600_000],
    ["SELECT set_config('statement_timeout', '20', true)", [], 20],
    ["SELECT set_config('application_name', $1, true), set_config('statement_timeout', $2, true)", ['a', '7'], 7],
    ["SELECT set_config('statement_timeout', $1, true)", ['0'], 0],
    ["SELECT set_config('statement_timeout', $1, true)", ['30s'], 0],
    ["SELECT set_config('statement_timeout', $1, true)", undefined, 0],
    ["SELECT set_config('statement_timeout', '10min', true)", undefined, 0],
    ["SET LOCAL statement_timeout = '30 s'", undefined, 0],
    ["SET statement_timeout TO '500'", undefined, 500],
    ['SET SESSION statement_timeout TO DEFAULT', undefined, 0],
    ['RESET statement_timeout', undefined, 0],
    ["SELECT set_config(name, '0', true) FROM pg_settings WHERE name IN ('statement_timeout', 'lock_timeout')", [], 0],
    ["SELECT current_setting('statement_timeout') AS before, set_config('statement_timeout', '20', true)", [], 20],
    ["SELECT current_setting('statement_timeout') AS before", undefined, undefined],
    ["SELECT setting FROM pg_settings WHERE name = 'statement_timeout'", undefined, undefined],
    ['SELECT 1', [1], undefined],
  ])('returns the time limit that the statement %s sets with the values %j', (text, values, limitMs) => {
    expect(findStatementTimeLimitSetBySql(text, values)).toBe(limitMs);
  });
});
