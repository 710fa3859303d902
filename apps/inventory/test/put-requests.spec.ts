import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { modelRegistry } from '../src/models/index.js';
import { startInventory, type TestInventory } from './support/test-service.js';
import resets from './reference/put-resets.json' with { type: 'json' };

type Json = Record<string, unknown>;

let test: TestInventory;

beforeAll(async () => {
  test = await startInventory();
});

afterAll(() => test.close());

/** Creates an object and returns the URL of the object. */
async function made(path: string, json: Json): Promise<string> {
  const { status, body } = await test.api.post<Json>(`/api/${path}/`, { json });
  expect([path, status, body]).toEqual([path, 201, expect.anything()]);
  return `/api/${path}/${String(body['id'])}/`;
}

const idIn = (address: string): number => Number(address.split('/').at(-2));

describe('PUT of an object', () => {
  it('resets the same omitted fields to defaults as the reference API, in every model', () => {
    const declared = modelRegistry.models.flatMap(({ path, resetOnPut }) =>
      resetOnPut.length === 0 ? [] : [[path, resetOnPut.toSorted()] as const],
    );
    expect(Object.fromEntries(declared)).toEqual(resets);
  });

  it('resets some omitted fields and retains the others, as the reference API does', async () => {
    const group = idIn(await made('tenancy/tenant-groups', { name: 'g', slug: 'g' }));
    const tenant = await made('tenancy/tenants', { name: 't', slug: 't', group, description: 'kept' });
    const changed = await test.api.put<Json>(tenant, { json: { name: 'u', slug: 'u' } });
    expect(changed.body).toMatchObject({ name: 'u', group: null, description: 'kept' });

    const region = idIn(await made('dcim/regions', { name: 'r', slug: 'r' }));
    const site = await made('dcim/sites', { name: 's', slug: 's', region });
    expect((await test.api.put<Json>(site, { json: { name: 's', slug: 's' } })).body).toMatchObject({
      region: { id: region },
    });

    const scope = { scope_type: 'dcim.site', scope_id: idIn(site) };
    const prefix = await made('ipam/prefixes', { prefix: '10.0.0.0/8', ...scope });
    expect((await test.api.put<Json>(prefix, { json: { prefix: '10.0.0.0/8' } })).body).toMatchObject({
      scope_type: null,
      scope_id: null,
      scope: null,
    });

    const manufacturer = idIn(await made('dcim/manufacturers', { name: 'm', slug: 'm' }));
    const type = { manufacturer, model: 'x', slug: 'x' };
    const deviceType = await made('dcim/device-types', { ...type, u_height: 4 });
    expect((await test.api.put<Json>(deviceType, { json: type })).body).toMatchObject({ u_height: 1 });
    expect((await test.api.patch<Json>(tenant, { json: { group } })).body).toMatchObject({ group: { id: group } });
  });

  it('resets fields of each object of a list', async () => {
    const parent = idIn(await made('dcim/regions', { name: 'top', slug: 'top' }));
    const ids = [];
    for (const name of ['a', 'b']) ids.push(idIn(await made('dcim/regions', { name, slug: name, parent })));
    const json = ids.map((id) => ({ id, name: `n${id}`, slug: `n${id}` }));
    const { body } = await test.api.put<Json[]>('/api/dcim/regions/', { json });
    expect(body.map((region) => region['parent'])).toEqual([null, null]);
  });
});

describe('PATCH with an empty string', () => {
  it('stores null in nullable fields for types, numbers and ids', async () => {
    const site = await made('dcim/sites', { name: 'e', slug: 'e', latitude: 10 });
    expect((await test.api.patch<Json>(site, { json: { latitude: '' } })).body).toMatchObject({ latitude: null });
    const scope = { scope_type: 'dcim.site', scope_id: idIn(site) };
    const prefix = await made('ipam/prefixes', { prefix: '10.1.0.0/16', ...scope });
    const cleared = await test.api.patch<Json>(prefix, { json: { scope_type: '', scope_id: null } });
    expect(cleared.body).toMatchObject({ scope_type: null, scope_id: null });
    const filter = {
      name: 'f',
      slug: 'f',
      object_types: ['dcim.site'],
      parameters: { name: ['a'] },
      user: test.adminId,
    };
    const saved = await made('extras/saved-filters', filter);
    expect((await test.api.patch<Json>(saved, { json: { user: '' } })).body).toMatchObject({ user: null });
  });

  it('rejects an empty string for a required type with the error for null', async () => {
    const json = { assigned_object_type: '', assigned_object_id: 1, comments: 'x' };
    const { status, body } = await test.api.post<Json>('/api/extras/journal-entries/', { json });
    expect([status, body['assigned_object_type']]).toEqual([400, ['This field may not be null.']]);
  });
});

describe('hardware addresses as attributes of related objects', () => {
  it('identify the related object in any notation', async () => {
    const manufacturer = idIn(await made('dcim/manufacturers', { name: 'hm', slug: 'hm' }));
    const device_type = idIn(await made('dcim/device-types', { manufacturer, model: 'h', slug: 'h' }));
    const role = idIn(await made('dcim/device-roles', { name: 'h', slug: 'h' }));
    const site = idIn(await made('dcim/sites', { name: 'h', slug: 'h' }));
    const device = idIn(await made('dcim/devices', { name: 'h', device_type, role, site }));
    const wwn = '01:02:03:04:05:06:07:08';
    const parent = idIn(await made('dcim/interfaces', { device, name: 'a', type: 'virtual', wwn }));
    const child = await made('dcim/interfaces', { device, name: 'b', type: 'virtual' });
    const assigned = { assigned_object_type: 'dcim.interface', assigned_object_id: idIn(child) };
    const address = idIn(await made('dcim/mac-addresses', { mac_address: '00:1B:44:11:3A:B7', ...assigned }));
    for (const mac_address of ['001b.4411.3ab7', '00-1b-44-11-3a-b7']) {
      const { status, body } = await test.api.patch<Json>(child, { json: { primary_mac_address: { mac_address } } });
      expect([status, body['primary_mac_address']]).toEqual([200, expect.objectContaining({ id: address })]);
    }
    const json = { parent: { wwn: '01-02-03-04-05-06-07-08' } };
    expect((await test.api.patch<Json>(child, { json })).body).toMatchObject({ parent: { id: parent } });
  });
});
