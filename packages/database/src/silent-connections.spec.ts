import { describe, expect, it } from 'vitest';
import { statementLimitSetBy } from './silent-connections.js';

describe('statementLimitSetBy', () => {
  it.each<[text: string, values: unknown, limitMs: number | undefined]>([
    ['SET LOCAL statement_timeout = 1500', undefined, 1500],
    ['BEGIN; SET LOCAL statement_timeout = 600000', undefined, 600_000],
    ["SELECT set_config('statement_timeout', '20', true)", [], 20],
    ["SELECT set_config('application_name', $1, true), set_config('statement_timeout', $2, true)", ['a', '7'], 7],
    ["SELECT set_config('statement_timeout', $1, true)", ['0'], 0],
    ["SELECT set_config('statement_timeout', $1, true)", ['30s'], undefined],
    ["SELECT set_config('statement_timeout', $1, true)", undefined, undefined],
    ["SELECT current_setting('statement_timeout') AS before", undefined, undefined],
    ['SELECT 1', [1], undefined],
  ])('reads the limit of %s with %j', (text, values, limitMs) => {
    expect(statementLimitSetBy(text, values)).toBe(limitMs);
  });
});
