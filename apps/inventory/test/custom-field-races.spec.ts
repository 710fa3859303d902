import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/harness.js';
import { holdOpen, untilWaiting } from './support/row-locks.js';

const sites = '/api/dcim/sites/';
const fields = '/api/extras/custom-fields/';

let test: TestInventory;
beforeAll(async () => {
  test = await startInventory();
});
afterAll(() => test.close());

async function makeField(name: string, type: string): Promise<number> {
  const json = { name, type, object_types: ['dcim.site'] };
  const { status, body } = await test.api.post<{ id: number }>(fields, { json });
  expect(status).toBe(201);
  // Reads the fields, so that the write to come has them in memory.
  await test.api.get(sites);
  return body.id;
}

const leftOver = async (name: string): Promise<number> =>
  (await test.inventory.database.query('SELECT FROM dcim_site WHERE custom_field_data ? $1', [name])).rows.length;

describe('DELETE /api/extras/custom-fields/{id}/', () => {
  it('takes along the value of an object that was being made, and lists go on', async () => {
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
    expect(await leftOver('shelf')).toBe(0);
    await makeField('shelf', 'integer');
    expect((await test.api.get(sites, { query: { cf_shelf: '1' }, unchecked: true })).status).toBe(200);
  });

  it('waits for no object of a write that waits for the field', async () => {
    const { database } = test.inventory;
    const field = await makeField('aisle', 'text');
    const names = ['nearby', 'faraway'];
    const json = names.map((name) => ({ name, slug: name, custom_fields: { aisle: 'a' } }));
    const [near, far] = (await test.api.post<{ id: number }[]>(sites, { json })).body.map(({ id }) => id);
    const hold = await holdOpen(database, (tx) => tx.query('SELECT FROM dcim_site WHERE id = $1 FOR UPDATE', [near]));
    const removing = test.api.delete(`${fields}${field}/`);
    await untilWaiting(database, 1);
    const changing = test.api.patch(`${sites}${far}/`, { json: { custom_fields: { aisle: 'b' } } });
    await untilWaiting(database, 2);
    const free = 'SELECT id FROM dcim_site WHERE id = $1 FOR UPDATE SKIP LOCKED';
    const { rows } = await database.query(free, [far]);
    await hold.release();
    expect([(await removing).status, (await changing).status]).toEqual([204, 400]);
    expect(rows).toEqual([{ id: far }]);
  });
});

describe('POST /api/dcim/sites/', () => {
  it('refuses a value whose field was deleted while the write waited for it', async () => {
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

  it('checks a value against the field of now when that was changed during the wait', async () => {
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

describe('a field that is given to a model', () => {
  it('begins without the values of an earlier field of its name', async () => {
    const { database } = test.inventory;
    await database.query(
      `INSERT INTO dcim_site (name, slug, custom_field_data) VALUES ('Old', 'old', '{"aisle": "x"}')`,
    );
    await makeField('aisle', 'integer');
    expect(await leftOver('aisle')).toBe(0);
    expect((await test.api.get(sites, { query: { cf_aisle: '1' }, unchecked: true })).status).toBe(200);
  });
});
