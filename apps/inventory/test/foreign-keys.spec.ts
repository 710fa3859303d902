import { listUnindexedForeignKeys } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/harness.js';

describe('the foreign keys of the database', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  it('begin an index each', async () => {
    expect(await listUnindexedForeignKeys(test.inventory.database)).toEqual([]);
  });
});
