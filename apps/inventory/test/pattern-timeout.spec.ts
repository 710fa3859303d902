import type { Tx } from '@switchboard/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { runWithPatternTimeout } from '../src/engine/regular-expression-timeout.js';
import { startInventory, type TestInventory } from './support/test-service.js';

describe('runWithPatternTimeout', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  const readTimeout = async (tx: Tx): Promise<string | undefined> =>
    (await tx.query<{ statement_timeout: string }>('SHOW statement_timeout')).rows[0]?.statement_timeout;

  it.each([
    ['0', '0'],
    ['1500', '1500ms'],
    ['30000', '30s'],
    ['600000', '10min'],
    ['7200000', '2h'],
    ['2147483647', '2147483647ms'],
  ])('runs the function with a timeout of 2 s, and restores the previous timeout of %s ms', async (beforeMs, shown) => {
    const sentValues: unknown[] = [];
    await test.inventory.database.inTransaction(async (tx) => {
      const observed: Tx = Object.assign(Object.create(tx), {
        query: (text: string, values?: unknown[]) => {
          if (values !== undefined) sentValues.push(...values);
          return tx.query(text, values);
        },
      });
      await tx.query(`SET LOCAL statement_timeout = ${beforeMs}`);
      expect(await runWithPatternTimeout(observed, [], () => readTimeout(tx))).toBe('2s');
      expect(await readTimeout(tx)).toBe(shown);
    });
    expect(sentValues).toEqual([beforeMs]);
  });
});
