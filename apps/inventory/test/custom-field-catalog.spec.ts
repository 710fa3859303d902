import type { CredentialInvalidationNotifier } from '@switchboard/auth';
import type { SqlStatementExecutor } from '@switchboard/database';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { CustomFieldCatalog } from '../src/custom-fields/custom-field-catalog.js';
import { startInventory, type TestInventory } from './support/test-service.js';

let test: TestInventory;
beforeAll(async () => {
  test = await startInventory();
});
afterAll(() => test.close());

/** Returns a database whose first statement returns its result only after `release` is called. */
function delayFirstStatement(): { database: SqlStatementExecutor; hasRead: Promise<void>; release: () => void } {
  let release = (): void => {};
  let reportRead = (): void => {};
  const released = new Promise<void>((resolve) => (release = resolve));
  const hasRead = new Promise<void>((resolve) => (reportRead = resolve));
  let count = 0;
  const query: SqlStatementExecutor['query'] = async (sql, params) => {
    const result = await test.inventory.database.query<never>(sql, params);
    count += 1;
    if (count > 1) return result;
    reportRead();
    await released;
    return result;
  };
  return { database: { query }, hasRead, release };
}

describe('CustomFieldCatalog.ready', () => {
  it('reads the field definitions again when they change during a read that is already running', async () => {
    const field = { name: 'floor', type: 'text', object_types: ['dcim.site'] };
    expect((await test.api.post('/api/extras/custom-fields/', { json: field })).status).toBe(201);
    let invalidate = (): void => {};
    const invalidations: CredentialInvalidationNotifier = {
      listen: ({ invalidated }) => (invalidate = () => invalidated('custom-fields')),
      isConnected: () => true,
      publish: async () => {},
    };
    const { database, hasRead, release } = delayFirstStatement();
    const catalog = new CustomFieldCatalog({ database, invalidations });
    const first = catalog.waitUntilLoaded();
    await hasRead;
    await test.inventory.database.query("UPDATE extras_customfield SET name = 'storey'");
    const second = catalog.waitUntilLoaded();
    invalidate();
    release();
    await Promise.all([first, second]);
    expect(catalog.getFieldsOfModel('dcim.site').map(({ name }) => name)).toEqual(['storey']);
  });
});
