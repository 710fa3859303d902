import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { vpnInterfaces } from './support/vpn-fixtures.js';

type Json = Record<string, unknown>;

describe('endpoints of VPN objects', () => {
  let test: TestInventory;
  const ids: Record<string, number> = {};
  const made = async (name: string, path: string, json: Json): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(path, { json });
    expect([name, status, body]).toMatchObject([name, 201, {}]);
    ids[name] = body.id;
    return body.id;
  };
  const refused = async (path: string, json: unknown): Promise<unknown> => {
    const { status, body } = await test.api.post(path, { json });
    expect(status).toBe(400);
    return body;
  };
  beforeAll(async () => {
    test = await startInventory();
    for (const { name, path, body } of vpnInterfaces) await made(name, path, body);
  });
  afterAll(() => test.close());

  it('require a mode for IKE version 1, and reject a mode for other versions', async () => {
    const path = '/api/vpn/ike-policies/';
    expect(await refused(path, { name: 'A', version: 1 })).toEqual({
      __all__: ['Mode is required for selected IKE version'],
    });
    expect(await refused(path, { name: 'A', version: 2, mode: 'main' })).toEqual({
      __all__: ['Mode cannot be used for selected IKE version'],
    });
    const id = await made('policy', path, { name: 'A', version: 1, mode: 'main' });
    const changed = await test.api.patch<Json>(`${path}${id}/`, { json: { version: 2 } });
    expect([changed.status, changed.body]).toEqual([
      400,
      { __all__: ['Mode cannot be used for selected IKE version'] },
    ]);
    expect((await test.api.patch<Json>(`${path}${id}/`, { json: { version: 2, mode: null } })).status).toBe(200);
    expect(await refused(path, { name: 'A', version: 2 })).toEqual({
      name: ['IKE policy with this name already exists.'],
    });
  });

  it('require an encryption or authentication algorithm in an IPSec proposal', async () => {
    expect(await refused('/api/vpn/ipsec-proposals/', { name: 'A', encryption_algorithm: '' })).toEqual({
      __all__: ['Encryption and/or authentication algorithm must be defined'],
    });
  });

  it('reject the deletion of policies, profiles and groups in use', async () => {
    const ipsec = await made('ipsec', '/api/vpn/ipsec-policies/', { name: 'P' });
    const profile = await made('profile', '/api/vpn/ipsec-profiles/', {
      name: 'Profile',
      mode: 'esp',
      ike_policy: ids['policy'],
      ipsec_policy: ipsec,
    });
    const group = await made('group', '/api/vpn/tunnel-groups/', { name: 'Wide', slug: 'wide' });
    await made('one', '/api/vpn/tunnels/', {
      name: 'One',
      status: 'active',
      encapsulation: 'ipsec-tunnel',
      ipsec_profile: profile,
      group,
    });
    for (const [path, blocker] of [
      [`/api/vpn/ike-policies/${ids['policy']}/`, `Profile (${profile})`],
      [`/api/vpn/ipsec-policies/${ipsec}/`, `Profile (${profile})`],
      [`/api/vpn/ipsec-profiles/${profile}/`, `One (${ids['one']})`],
      [`/api/vpn/tunnel-groups/${group}/`, `One (${ids['one']})`],
    ] as const) {
      const { status, body } = await test.api.delete(path);
      expect([path, status, body]).toEqual([
        path,
        409,
        { detail: `Unable to delete object. 1 dependent objects were found: ${blocker}` },
      ]);
    }
  });

  it('reject a second tunnel termination of the same interface', async () => {
    const path = '/api/vpn/tunnel-terminations/';
    const two = await made('two', '/api/vpn/tunnels/', { name: 'Two', status: 'active', encapsulation: 'gre' });
    const end = (type: string, name: string, tunnel = two): Json => ({
      tunnel,
      role: 'peer',
      termination_type: type,
      termination_id: ids[name],
    });
    const first = await made('end', path, end('dcim.interface', 'eth0', ids['one']));
    await made('other end', path, end('virtualization.vminterface', 'ens1'));
    const attached = { termination: ['eth0 is already attached to a tunnel (One).'] };
    expect(await refused(path, end('dcim.interface', 'eth0'))).toEqual(attached);
    expect(await refused(path, end('virtualization.vminterface', 'ens1', ids['one']))).toEqual({
      termination: ['ens1 is already attached to a tunnel (Two).'],
    });
    const twice = [end('dcim.interface', 'eth1'), end('dcim.interface', 'eth1')];
    expect(await refused(path, twice)).toMatchObject({
      1: { termination: ['eth1 is already attached to a tunnel (Two).'] },
    });
    expect((await test.api.patch(`${path}${first}/`, { json: { role: 'hub' } })).status).toBe(200);
    expect(await refused(path, { ...end('dcim.interface', 'eth1'), termination_id: 99_999 })).toEqual({
      termination_id: ['Related object not found using the provided value: 99999.'],
    });
    const both = await Promise.all([1, 2].map(() => test.api.post(path, { json: end('dcim.interface', 'eth1') })));
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 400]);
    await test.api.delete(`/api/vpn/tunnels/${two}/`);
    expect((await test.api.get<{ count: number }>(path)).body.count).toBe(1);
  });

  it('reject a second L2VPN of an object, and a third termination of a point-to-point L2VPN', async () => {
    const path = '/api/vpn/l2vpn-terminations/';
    expect(await refused('/api/vpn/l2vpns/', { name: 'None', slug: 'none' })).toEqual({
      type: ['This field cannot be blank.'],
    });
    const wire = await made('wire', '/api/vpn/l2vpns/', { name: 'Wire', slug: 'wire', type: 'vpws', identifier: 7 });
    const many = await made('many', '/api/vpn/l2vpns/', { name: 'Many', slug: 'many', type: 'vpls' });
    const vlan = await made('vlan', '/api/ipam/vlans/', { vid: 100, name: 'Red' });
    const end = (l2vpn: number, type: string, id: number | undefined): Json => ({
      l2vpn,
      assigned_object_type: type,
      assigned_object_id: id,
    });
    const { body } = await test.api.post<Json>(path, { json: end(wire, 'dcim.interface', ids['eth0']) });
    expect(body['display']).toBe('eth0 <> Wire (7)');
    expect(await refused(path, end(many, 'dcim.interface', ids['eth0']))).toEqual({
      __all__: ['L2VPN Termination already assigned (eth0)'],
    });
    await made('vlan end', path, end(wire, 'ipam.vlan', vlan));
    const full = { __all__: ['VPWS L2VPNs cannot have more than two terminations; found 2 already defined.'] };
    expect(await refused(path, end(wire, 'virtualization.vminterface', ids['ens1']))).toEqual(full);
    const third = await made('third', path, end(many, 'virtualization.vminterface', ids['ens1']));
    const moved = await test.api.patch(`${path}${third}/`, { json: { l2vpn: wire } });
    expect([moved.status, moved.body]).toEqual([400, full]);
    expect(
      (await test.api.patch(`${path}${String(body['id'])}/`, { json: { assigned_object_id: ids['eth1'] } })).status,
    ).toBe(200);
    await test.api.delete(`/api/ipam/vlans/${vlan}/`);
    expect((await test.api.get<{ count: number }>(`${path}?l2vpn=wire`)).body.count).toBe(1);
  });

  it('filter L2VPN terminations by the region of any type of terminated object', async () => {
    const path = '/api/vpn/l2vpn-terminations/';
    await test.api.patch(`/api/dcim/sites/${ids['deviceSite']}/`, { json: { region: ids['region'] } });
    const count = async (query: string): Promise<number> =>
      (await test.api.get<{ count: number }>(`${path}?${query}`)).body.count;
    expect(await count('region=north')).toBe(2);
    expect(await count(`region_id=${ids['region']}&device=Router`)).toBe(1);
    expect(await count('region=nowhere')).toBe(0);
    expect((await test.api.get(`${path}?site_id=x`)).body).toEqual({ site_id: ['Enter a whole number.'] });
  });
});
