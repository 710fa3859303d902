import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { lockUniqueCustomFieldValues } from '../src/database-locks.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import { runInOpenTransaction, untilWaiting } from './support/hold-row-locks.js';

const sites = '/api/dcim/sites/';
const fields = '/api/extras/custom-fields/';

const createNumbers = (count: number): string[] => Array.from({ length: count }, (_, n) => String(n));

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
    const hold = await runInOpenTransaction(database, (tx) =>
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
    const hold = await runInOpenTransaction(database, (tx) =>
      tx.query('SELECT FROM dcim_site WHERE id = $1 FOR UPDATE', [id]),
    );
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
    const hold = await runInOpenTransaction(database, (tx) =>
      tx.query('DELETE FROM extras_customfield WHERE id = $1', [field]),
    );
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
    const hold = await runInOpenTransaction(database, (tx) =>
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
    const hold = await runInOpenTransaction(database, (tx) =>
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

  /** Waits until a transaction waits for a lock of a row, and until transactions have the given numbers of advisory locks. */
  const expectLocks = (locks: { granted: number; waiting: number }, rows = 1) =>
    expect
      .poll(
        async () => {
          const { rowCount } = await test.inventory.database.query(
            `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'
              AND wait_event <> 'advisory'`,
          );
          return { ...(await countAdvisoryLocks()), rows: rowCount };
        },
        { timeout: 30_000 },
      )
      .toEqual({ ...locks, rows });

  /** Locks the row of a new tenant. A transaction that writes a reference to the tenant waits until the release. */
  async function holdTenant(name: string): Promise<{ tenant: number; release: () => Promise<void> }> {
    const { body } = await test.api.post<{ id: number }>('/api/tenancy/tenants/', { json: { name, slug: name } });
    const { release } = await runInOpenTransaction(test.inventory.database, (tx) =>
      tx.query('SELECT FROM tenancy_tenant WHERE id = $1 FOR UPDATE', [body.id]),
    );
    return { tenant: body.id, release };
  }

  const postSite = (name: string, label: string, more: object = {}): Promise<{ status: number; body: unknown }> =>
    test.api.post(sites, { json: { name, slug: name.toLowerCase(), custom_fields: { label }, ...more } });

  const taken = { status: 400, body: { __all__: ["Custom field 'label' must have a unique value."] } };

  beforeAll(() => makeField('label', 'text', true));

  it('delays only writes of the same value, of which the second is then rejected', async () => {
    const { tenant, release } = await holdTenant('v');
    const first = postSite('First', 'same', { tenant });
    await expectLocks({ granted: 2, waiting: 0 });
    expect((await postSite('Other', 'different')).status).toBe(201);
    const second = postSite('Second', 'same');
    await expectLocks({ granted: 3, waiting: 1 });
    await release();
    expect((await first).status).toBe(201);
    expect(await second).toMatchObject(taken);
  });

  it('has no lock of a value that the object retains, and another write of the value is rejected', async () => {
    const { status, body } = await test.api.post<{ id: number }>(sites, {
      json: { name: 'Retained', slug: 'retained', custom_fields: { label: 'retained' } },
    });
    expect(status).toBe(201);
    const { tenant, release } = await holdTenant('w');
    const change = test.api.patch(`${sites}${body.id}/`, { json: { facility: 'moved', tenant } });
    await expectLocks({ granted: 0, waiting: 0 });
    expect(await postSite('Second holder', 'retained')).toMatchObject(taken);
    await release();
    expect((await change).status).toBe(200);
    const renamed = await test.api.patch(`${sites}${body.id}/`, { json: { custom_fields: { label: 'new' } } });
    expect(renamed.status).toBe(200);
  });

  it('locks both fields, and no values, when two fields together have more than 1,000 values', async () => {
    await makeField('code', 'text', true);
    const { tenant, release } = await holdTenant('x');
    const json = Array.from({ length: 501 }, (_, n) => ({
      name: `Many ${n}`,
      slug: `many-${n}`,
      tenant,
      custom_fields: { label: `many ${n}`, code: `many ${n}` },
    }));
    const creation = test.api.post(sites, { json });
    await expectLocks({ granted: 2, waiting: 0 });
    await release();
    expect((await creation).status).toBe(201);
  });

  it.each([
    [
      'a lock for each different value',
      { label: ['1', '2', '{"a":1,"b":2}', '{"b":2,"a":1}'] },
      { shared: 1, exclusive: 3 },
    ],
    [
      'a lock for each value of two fields with 1,000 values together',
      { label: createNumbers(500), code: createNumbers(500) },
      { shared: 2, exclusive: 1_000 },
    ],
    [
      'one lock of each field for more than 1,000 values together',
      { label: createNumbers(500), code: createNumbers(501) },
      { shared: 0, exclusive: 2 },
    ],
    ['one lock of the field for more than 1,000 values', { label: createNumbers(1_001) }, { shared: 0, exclusive: 1 }],
  ])('has %s', async (_, values, expected) => {
    const locks = await test.inventory.database.inTransaction(async (tx) => {
      await lockUniqueCustomFieldValues(tx, 'dcim.site', new Map(Object.entries(values)));
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
