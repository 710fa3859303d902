import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockUniqueCustomFieldValues } from '../src/database-locks.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { holdOpen, untilWaiting } from './support/hold-row-locks.js';

const sites = '/api/dcim/sites/';
const fields = '/api/extras/custom-fields/';

let test: TestInventory;
beforeAll(async () => {
  test = await startInventory();
});
afterAll(() => test.close());

async function makeField(name: string, type: string, unique = false): Promise<number> {
  const json = { name, type, unique, object_types: ['dcim.site'] };
  const { status, body } = await test.api.post<{ id: number }>(fields, { json });
  expect(status).toBe(201);
  // Reads the fields, so that the following write finds them in the cache.
  await test.api.get(sites);
  return body.id;
}

describe('DELETE /api/extras/custom-fields/{id}/', () => {
  it('leaves no value in objects created concurrently, even for a later field of the same name', async () => {
    const { database } = test.inventory;
    const field = await makeField('shelf', 'text');
    const tenant = await test.api.post<{ id: number }>('/api/tenancy/tenants/', { json: { name: 'T', slug: 't' } });
    const hold = await holdOpen(database, (tx) =>
      tx.query('SELECT FROM tenancy_tenant WHERE id = $1 FOR UPDATE', [tenant.body.id]),
    );
    const json = { name: 'One', slug: 'one', tenant: tenant.body.id, custom_fields: { shelf: 'upper' } };
    const making = test.api.post(sites, { json });
    await untilWaiting(database, 1);
    const removing = test.api.delete(`${fields}${field}/`);
    await Promise.race([removing, untilWaiting(database, 2)]);
    await hold.release();
    expect([(await making).status, (await removing).status]).toEqual([201, 204]);
    await makeField('shelf', 'integer');
    const { body } = await test.api.get<{ results: unknown[] }>(sites, {
      query: { name: 'One', cf_shelf: 'null' },
      unchecked: true,
    });
    expect(body.results).toMatchObject([{ custom_fields: { shelf: null } }]);
    expect((await test.api.get(sites, { query: { cf_shelf: '1' }, unchecked: true })).status).toBe(200);
  });

  it('does not wait for writes of objects with a value of the field', async () => {
    const { database } = test.inventory;
    const field = await makeField('aisle', 'text');
    const json = { name: 'Busy', slug: 'busy', custom_fields: { aisle: 'a' } };
    const { id } = (await test.api.post<{ id: number }>(sites, { json })).body;
    const hold = await holdOpen(database, (tx) => tx.query('SELECT FROM dcim_site WHERE id = $1 FOR UPDATE', [id]));
    const renamed = await test.api.patch(`${fields}${field}/`, { json: { name: 'passage' } });
    const removed = await test.api.delete(`${fields}${field}/`);
    await hold.release();
    expect([renamed.status, removed.status]).toEqual([200, 204]);
  });
});

describe('POST /api/dcim/sites/', () => {
  it('rejects a value whose field was deleted during a lock wait', async () => {
    const { database } = test.inventory;
    const field = await makeField('row', 'text');
    const hold = await holdOpen(database, (tx) => tx.query('DELETE FROM extras_customfield WHERE id = $1', [field]));
    const making = test.api.post(sites, { json: { name: 'Two', slug: 'two', custom_fields: { row: 'first' } } });
    await untilWaiting(database, 1);
    await hold.release();
    const { status, body } = await making;
    expect([status, body]).toEqual([
      400,
      { custom_fields: { row: "Custom field 'row' does not exist for this object type." } },
    ]);
  });

  it('validates a value against the changed field when the field changes while the request waits for a lock', async () => {
    const { database } = test.inventory;
    const field = await makeField('floor', 'integer');
    const hold = await holdOpen(database, (tx) =>
      tx.query('UPDATE extras_customfield SET validation_maximum = 3 WHERE id = $1', [field]),
    );
    const making = test.api.post(sites, { json: { name: 'Three', slug: 'three', custom_fields: { floor: 7 } } });
    await untilWaiting(database, 1);
    await hold.release();
    expect((await making).status).toBe(400);
  });
});

describe('POST /api/extras/custom-fields/', () => {
  it("stores the field's default in objects that are written concurrently", async () => {
    const { database } = test.inventory;
    const tenant = await test.api.post<{ id: number }>('/api/tenancy/tenants/', { json: { name: 'U', slug: 'u' } });
    const hold = await holdOpen(database, (tx) =>
      tx.query('SELECT FROM tenancy_tenant WHERE id = $1 FOR UPDATE', [tenant.body.id]),
    );
    const making = test.api.post<{ id: number }>(sites, {
      json: { name: 'Early', slug: 'early', tenant: tenant.body.id },
    });
    await untilWaiting(database, 1);
    const json = { name: 'shade', type: 'text', default: 'blue', object_types: ['dcim.site'] };
    const field = await test.api.post(fields, { json });
    await hold.release();
    const { status, body } = await making;
    expect([field.status, status]).toEqual([201, 201]);
    const shown = await test.api.get<{ custom_fields: unknown }>(`${sites}${body.id}/`);
    expect(shown.body.custom_fields).toMatchObject({ shade: 'blue' });
  });

  it('creates a field that shows no values of a deleted field with the same name', async () => {
    const first = await makeField('lane', 'text');
    await test.api.post(sites, { json: { name: 'Old', slug: 'old', custom_fields: { lane: 'x' } } });
    await test.api.delete(`${fields}${first}/`);
    await makeField('lane', 'integer');
    expect((await test.api.get(sites, { query: { cf_lane: '1' }, unchecked: true })).status).toBe(200);
  });
});

describe('uncommitted write of a unique custom field', () => {
  /** Returns the numbers of advisory locks that transactions have (`granted`) and wait for (`waiting`). */
  async function countAdvisoryLocks(): Promise<{ granted: number; waiting: number } | undefined> {
    const { rows } = await test.inventory.database.query<{ granted: number; waiting: number }>(
      `SELECT count(*) FILTER (WHERE granted)::int AS granted, count(*) FILTER (WHERE NOT granted)::int AS waiting
        FROM pg_locks WHERE locktype = 'advisory' AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
    );
    return rows[0];
  }

  const postSite = (name: string, label: string, more: object = {}): Promise<{ status: number; body: unknown }> =>
    test.api.post(sites, { json: { name, slug: name.toLowerCase(), custom_fields: { label }, ...more } });

  it('delays only writes of the same value, of which the second is then rejected', async () => {
    const { database } = test.inventory;
    await makeField('label', 'text', true);
    const { status, body } = await test.api.post<{ id: number }>(sites, {
      json: { name: 'Retained', slug: 'retained', custom_fields: { label: 'retained' } },
    });
    expect(status).toBe(201);
    const tenant = await test.api.post<{ id: number }>('/api/tenancy/tenants/', { json: { name: 'V', slug: 'v' } });
    const hold = await holdOpen(database, (tx) =>
      tx.query('SELECT FROM tenancy_tenant WHERE id = $1 FOR UPDATE', [tenant.body.id]),
    );
    const first = postSite('First', 'same', { tenant: tenant.body.id });
    await untilWaiting(database, 1);
    expect(await countAdvisoryLocks()).toEqual({ granted: 2, waiting: 0 });
    expect((await postSite('Other', 'different')).status).toBe(201);
    expect((await test.api.patch(`${sites}${body.id}/`, { json: { facility: 'moved' } })).status).toBe(200);
    expect((await test.api.patch(`${sites}${body.id}/`, { json: { custom_fields: { label: 'new' } } })).status).toBe(
      200,
    );
    const second = postSite('Second', 'same');
    await expect.poll(countAdvisoryLocks, { timeout: 30_000 }).toEqual({ granted: 3, waiting: 1 });
    await hold.release();
    expect((await first).status).toBe(201);
    expect(await second).toMatchObject({
      status: 400,
      body: { __all__: ["Custom field 'label' must have a unique value."] },
    });
  });

  it.each([
    ['a lock for each different value', ['1', '2', '{"a":1,"b":2}', '{"b":2,"a":1}'], { shared: 1, exclusive: 3 }],
    [
      'one lock of the field for more than 1,000 values',
      Array.from({ length: 1_001 }, String),
      { shared: 0, exclusive: 1 },
    ],
  ])('has %s', async (_, values, expected) => {
    const locks = await test.inventory.database.inTransaction(async (tx) => {
      await lockUniqueCustomFieldValues(tx, 'dcim.site', 'label', values);
      const { rows } = await tx.query(
        `SELECT count(*) FILTER (WHERE mode = 'ShareLock')::int AS shared,
            count(*) FILTER (WHERE mode = 'ExclusiveLock')::int AS exclusive
          FROM pg_locks WHERE locktype = 'advisory' AND pid = pg_backend_pid()`,
      );
      return rows;
    });
    expect(locks).toEqual([expected]);
  });
});
