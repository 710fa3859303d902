import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { LargeTableDetector } from '../src/engine/read/table-sizes.js';
import { startInventory, type TestInventory } from './support/test-service.js';

describe('LargeTableDetector.isLarge', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
  });
  afterAll(() => test.close());

  it('reads the table sizes of a schema whose name requires quotes', async () => {
    const isLarge = await test.inventory.database.inTransaction(async (tx) => {
      await tx.query('CREATE SCHEMA "Own-Schema"');
      await tx.query('SET LOCAL search_path = "Own-Schema"');
      await tx.query('CREATE TABLE numbers AS SELECT n FROM generate_series(1, 20000) n');
      await tx.query('ANALYZE numbers');
      return new LargeTableDetector().isLargeTable(tx, 'numbers');
    });
    expect(isLarge).toBe(true);
  });
});
