import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { deviceBasics, deviceSurroundings } from './support/device-fixtures.js';

type Json = Record<string, unknown>;

describe('filters by related objects', () => {
  let test: TestInventory;
  const ids: Record<string, number> = {};
  const make = async (name: string, path: string, json: Json): Promise<void> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    ids[name] = body.id;
  };
  const found = async (query: string): Promise<string> => {
    const { status, body } = await test.api.get<{ count: number; results: Json[] }>(`/api/${query}`);
    expect([query, status, body]).toEqual([query, 200, body]);
    expect(body.count).toBe(body.results.length);
    return body.results.map(({ name }) => String(name)).join(' ');
  };
  const holds = async (expected: Readonly<Record<string, string>>): Promise<void> => {
    const shown: Record<string, string> = {};
    for (const query of Object.keys(expected)) shown[query] = await found(query);
    expect(shown).toEqual(expected);
  };

  beforeAll(async () => {
    test = await startInventory();
    for (const { name, path, body } of deviceSurroundings) await make(name, path.slice(5, -1), body);
    await make('switch', 'dcim/devices', { name: 'Switch 1', ...deviceBasics });
    const eth = (name: string): Json => ({ device: ids['switch'], name, type: '1000base-t' });
    for (const name of ['eth0', 'eth1', 'eth2']) await make(name, 'dcim/interfaces', eth(name));
    const mac = (mac_address: string, name: string): Json => ({
      mac_address,
      assigned_object_type: 'dcim.interface',
      assigned_object_id: ids[name],
    });
    await make('first', 'dcim/mac-addresses', mac('00:1b:44:11:3a:01', 'eth0'));
    await make('second', 'dcim/mac-addresses', mac('00:1b:44:11:3a:02', 'eth0'));
    await make('third', 'dcim/mac-addresses', mac('00:1b:44:11:3a:03', 'eth1'));
  });
  afterAll(() => test.close());

  it('match if any related object matches, and match for negated lookups if no related object matches', () =>
    holds({
      'dcim/interfaces/?mac_address=001b.4411.3a02': 'eth0',
      'dcim/interfaces/?mac_address=00-1b-44-11-3a-01&mac_address=00:1b:44:11:3a:03': 'eth0 eth1',
      'dcim/interfaces/?mac_address=nonsense': '',
      'dcim/interfaces/?mac_address__n=00:1b:44:11:3a:02': 'eth1 eth2',
      'dcim/interfaces/?mac_address__isw=00:1B:44': 'eth0 eth1',
      'dcim/interfaces/?mac_address__niew=3A:01': 'eth1 eth2',
    }));

  it('accept addresses in any notation', async () => {
    const patch = (name: string, json: Json) => test.api.patch(`/api/dcim/interfaces/${ids[name]}/`, { json });
    const primary = await patch('eth0', { primary_mac_address: ids['first'] });
    expect(primary.body).toMatchObject({ mac_address: '00:1B:44:11:3A:01', primary_mac_address: { id: ids['first'] } });
    await holds({
      'dcim/interfaces/?primary_mac_address=001b44113a01': 'eth0',
      'dcim/interfaces/?primary_mac_address=null': 'eth1 eth2',
      [`dcim/interfaces/?primary_mac_address_id__n=${ids['first']}`]: 'eth1 eth2',
    });
    for (const value of ['zz', '00:1b:44:11:3a:99']) {
      expect((await test.api.get(`/api/dcim/interfaces/?primary_mac_address=${value}`)).body).toEqual({
        primary_mac_address: [`Select a valid choice. ${value} is not one of the available choices.`],
      });
    }
  });

  it('support generic and many-to-many relations, including descendant groups', async () => {
    await make('staff', 'tenancy/contact-groups', { name: 'Staff', slug: 'staff' });
    await make('night', 'tenancy/contact-groups', { name: 'Night', slug: 'night', parent: ids['staff'] });
    await make('operator', 'tenancy/contact-roles', { name: 'Operator', slug: 'operator' });
    await make('ada', 'tenancy/contacts', { name: 'Ada', groups: [ids['night']] });
    await make('bob', 'tenancy/contacts', { name: 'Bob' });
    await make('berlin', 'dcim/sites', { name: 'Berlin', slug: 'berlin' });
    await make('cairo', 'dcim/sites', { name: 'Cairo', slug: 'cairo' });
    const assign = (site: string, contact: string, role: number | undefined): Promise<void> =>
      make(`${site} ${contact}`, 'tenancy/contact-assignments', {
        object_type: 'dcim.site',
        object_id: ids[site],
        contact: ids[contact],
        role,
      });
    await assign('berlin', 'ada', ids['operator']);
    await assign('berlin', 'bob', ids['operator']);
    await assign('cairo', 'bob', ids['operator']);
    await holds({
      [`dcim/sites/?contact=${ids['ada']}`]: 'Berlin',
      [`dcim/sites/?contact=${ids['bob']}`]: 'Berlin Cairo',
      [`dcim/sites/?contact__n=${ids['ada']}`]: 'Amsterdam Cairo',
      'dcim/sites/?contact=null': 'Amsterdam',
      [`dcim/sites/?contact_role=${ids['operator']}`]: 'Berlin Cairo',
      [`dcim/sites/?contact_group=${ids['staff']}`]: 'Berlin',
      [`dcim/sites/?contact_group__n=${ids['night']}`]: 'Amsterdam Cairo',
      [`dcim/regions/?contact=${ids['ada']}`]: '',
    });
  });

  it('match an interface by its primary MAC address', async () => {
    const change = (path: string, json: Json) => test.api.patch<Json>(`/api/${path}/`, { json });
    const other = await change(`dcim/interfaces/${ids['eth2']}`, { primary_mac_address: ids['third'] });
    expect(other.body).toEqual({
      primary_mac_address: ['MAC address 00:1B:44:11:3A:03 is assigned to a different interface (eth1).'],
    });
    const first = `dcim/mac-addresses/${ids['first']}`;
    const word = (what: string): Json => ({
      __all__: [`Cannot ${what} MAC Address while it is designated as the primary MAC for an object`],
    });
    const moved = await change(first, { assigned_object_id: ids['eth1'] });
    expect([moved.status, moved.body]).toEqual([400, word('reassign')]);
    const left = await change(first, { assigned_object_type: null, assigned_object_id: null });
    expect([left.status, left.body]).toEqual([400, word('unassign')]);
    expect((await change(first, { description: 'kept' })).status).toBe(200);
    // An unassigned MAC address is assigned to the interface that makes it primary.
    await make('spare', 'dcim/mac-addresses', { mac_address: '00:1b:44:11:3a:04' });
    await make('eth3', 'dcim/interfaces', {
      device: ids['switch'],
      name: 'eth3',
      type: 'virtual',
      primary_mac_address: ids['spare'],
    });
    const taken = await test.api.get<Json>(`/api/dcim/mac-addresses/${ids['spare']}/`);
    expect(taken.body).toMatchObject({ assigned_object: { id: ids['eth3'], name: 'eth3' } });
    expect((await test.api.get<{ count: number }>('/api/dcim/mac-addresses/?primary=true')).body.count).toBe(2);
  });

  it('reject invalid addresses with the message of the reference API', async () => {
    const refused = async (mac_address: unknown, message: string): Promise<void> => {
      const { status, body } = await test.api.post('/api/dcim/mac-addresses/', { json: { mac_address } });
      expect([mac_address, status, body]).toEqual([mac_address, 400, { mac_address: [message] }]);
    };
    await refused('zz', 'Invalid MAC address format: zz');
    await refused('00:1b:44:11:3a', 'Invalid MAC address format: 00:1b:44:11:3a');
    await refused('', 'This field may not be blank.');
    await refused(null, 'This field may not be null.');
    const wwn = (value: unknown) =>
      test.api.patch<Json>(`/api/dcim/interfaces/${ids['eth1']}/`, { json: { wwn: value } });
    expect((await wwn('50-06-01-60-3b-a0-1c-2d')).body['wwn']).toBe('50:06:01:60:3B:A0:1C:2D');
    expect((await wwn('50060160')).body).toEqual({ wwn: ['Invalid WWN format: 50060160'] });
    await holds({
      'dcim/interfaces/?wwn=500601603ba01c2d': 'eth1',
      'dcim/interfaces/?wwn__ic=3b:a0': 'eth1',
    });
    expect((await wwn(null)).body['wwn']).toBeNull();
  });
});
