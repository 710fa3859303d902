import { listUnindexedForeignKeys } from '@switchboard/testing';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

describe('foreign keys of the inventory database', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  it('each have an index on their columns', async () => {
    expect(await listUnindexedForeignKeys(test.inventory.database)).toEqual([]);
  });
});
