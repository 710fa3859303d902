import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceIn, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('endpoints of circuits', () => {
  let test: TestInventory;
  let ids: Record<string, number>;

  const make = async (path: string, json: unknown): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    return body.id;
  };
  const change = (path: string, json: unknown) => test.api.patch<Json>(`/api/${path}/`, { json });
  const get = async (path: string): Promise<Json> => (await test.api.get<Json>(`/api/${path}/`)).body;
  const refused = async (path: string, json: unknown, body: Json | Json[]): Promise<void> => {
    expect(await test.api.post(`/api/${path}/`, { json })).toMatchObject({ status: 400, body });
  };
  const found = async (path: string): Promise<number[]> => {
    const { body } = await test.api.get<{ results: { id: number }[] }>(`/api/${path}`);
    return body.results.map(({ id }) => id);
  };

  beforeAll(async () => {
    test = await startInventory();
    const region = await make('dcim/regions', { name: 'Europe', slug: 'europe' });
    const site = await make('dcim/sites', { name: 'Hall', slug: 'hall', region });
    const carrier = await make('circuits/providers', { name: 'Carrier', slug: 'carrier' });
    const backup = await make('circuits/providers', { name: 'Backup', slug: 'backup' });
    ids = {
      site,
      otherSite: await make('dcim/sites', { name: 'Yard', slug: 'yard' }),
      room: await make('dcim/locations', { name: 'Room', slug: 'room', site }),
      carrier,
      backup,
      account: await make('circuits/provider-accounts', { provider: carrier, account: 'A-1' }),
      foreign: await make('circuits/provider-accounts', { provider: backup, account: 'B-1', name: 'Main' }),
      network: await make('circuits/provider-networks', { provider: carrier, name: 'Backbone' }),
      type: await make('circuits/circuit-types', { name: 'Transit', slug: 'transit' }),
      virtualType: await make('circuits/virtual-circuit-types', { name: 'Wave', slug: 'wave' }),
    };
  });
  afterAll(() => test.close());

  const circuit = (cid: string, more: Json = {}): Json => ({
    cid,
    provider: ids['carrier'],
    type: ids['type'],
    ...more,
  });

  it("require an account of the circuit's provider, also in requests with a list", async () => {
    const foreign = { provider_account: ['The assigned account must belong to the assigned provider.'] };
    await refused('circuits/circuits', circuit('C-1', { provider_account: ids['foreign'] }), foreign);
    await refused(
      'circuits/circuits',
      [
        circuit('C-1'),
        circuit('C-2', { provider_account: ids['account'] }),
        circuit('C-3', { provider_account: ids['foreign'] }),
      ],
      [{}, {}, foreign],
    );
    const own = await make('circuits/circuits', circuit('C-1', { provider_account: ids['account'] }));
    expect(await change(`circuits/circuits/${own}`, { provider: ids['backup'] })).toMatchObject({
      status: 400,
      body: foreign,
    });
    const moved = await change(`circuits/circuits/${own}`, {
      provider: ids['backup'],
      provider_account: { account: 'B-1' },
    });
    expect(moved).toMatchObject({ status: 200, body: { provider_account: { display: 'B-1 (Main)' } } });
    await refused('circuits/circuits', circuit('C-1', { provider: ids['backup'] }), {
      __all__: ['Circuit with this Provider and Circuit ID already exists.'],
    });

    const virtual = { cid: 'V-1', provider_network: ids['network'], type: ids['virtualType'] };
    const other = { provider_account: ['The assigned account must belong to the provider of the assigned network.'] };
    await refused('circuits/virtual-circuits', { ...virtual, provider_account: ids['foreign'] }, other);
    const line = await make('circuits/virtual-circuits', { ...virtual, provider_account: ids['account'] });
    expect(await change(`circuits/virtual-circuits/${line}`, { provider_account: ids['foreign'] })).toMatchObject({
      status: 400,
      body: other,
    });
    const blocked = await test.api.delete(`/api/circuits/provider-accounts/${ids['account']}/`);
    expect(blocked).toMatchObject({ status: 409 });
  });

  it('assign the accounts of the request to the provider, and remove no other account from the provider', async () => {
    const provider = await make('circuits/providers', { name: 'Third', slug: 'third' });
    const [first, second] = [
      await make('circuits/provider-accounts', { provider: ids['backup'], account: 'X-1' }),
      await make('circuits/provider-accounts', { provider: ids['backup'], account: 'X-2' }),
    ];
    const given = await change(`circuits/providers/${provider}`, { accounts: [first, { account: 'X-2' }] });
    expect(given.body['accounts']).toMatchObject([
      { id: first, account: 'X-1' },
      { id: second, name: '', display: 'X-2' },
    ]);
    expect(Object.keys(Object(given.body['accounts'])[0])).toEqual([
      'id',
      'url',
      'display_url',
      'display',
      'name',
      'account',
    ]);
    expect((await change(`circuits/providers/${provider}`, { accounts: [] })).body['accounts']).toHaveLength(2);
    expect(await found(`circuits/provider-accounts/?provider=third`)).toEqual([first, second]);
    const twin = await make('circuits/provider-accounts', { provider: ids['carrier'], account: 'X-1' });
    expect(await change(`circuits/providers/${provider}`, { accounts: [twin] })).toMatchObject({
      status: 400,
      body: { accounts: ['The accounts of a provider must differ in name and account ID.'] },
    });
    expect(await change(`circuits/providers/${provider}`, { accounts: [987_654] })).toMatchObject({ status: 400 });
    await refused(
      'circuits/provider-accounts',
      [
        { provider, account: 'Y-1', name: 'Same' },
        { provider, account: 'Y-2', name: 'Same' },
      ],
      [{}, { __all__: ['Constraint “circuits_provideraccount_unique_provider_name” is violated.'] }],
    );
  });

  it('show the current terminations when a circuit is moved, and count the circuits of a site', async () => {
    const [one, two] = [
      await make('circuits/circuits', circuit('E-1')),
      await make('circuits/circuits', circuit('E-2')),
    ];
    const end = (side: string, type: string, id: number | undefined): Json => ({
      circuit: one,
      term_side: side,
      termination_type: type,
      termination_id: id,
    });
    await refused(
      'circuits/circuit-terminations',
      { circuit: one, term_side: 'A' },
      {
        __all__: ['A circuit termination must attach to a terminating object.'],
      },
    );
    await refused('circuits/circuit-terminations', end('A', 'dcim.site', undefined), {
      __all__: ['Please select a Site.'],
    });
    await refused('circuits/circuit-terminations', end('B', 'dcim.site', ids['site']), {
      term_side: ['"B" is not a valid choice.'],
    });
    const a = await make('circuits/circuit-terminations', end('A', 'dcim.location', ids['room']));
    const z = await make('circuits/circuit-terminations', end('Z', 'circuits.providernetwork', ids['network']));
    await refused('circuits/circuit-terminations', end('A', 'dcim.site', ids['site']), {
      __all__: ['Circuit termination with this Circuit and Termination side already exists.'],
    });
    const shown = await get(`circuits/circuits/${one}`);
    expect(shown).toMatchObject({
      termination_a: { id: a, display: 'E-1: Termination A', termination: { name: 'Room' }, port_speed: null },
      termination_z: { id: z, termination_type: 'circuits.providernetwork', termination: { name: 'Backbone' } },
    });
    expect(Object.keys(Object(shown['termination_a']))).not.toContain('circuit');
    expect(await get(`dcim/sites/${ids['site']}`)).toMatchObject({ circuit_count: 1 });
    expect(await found('circuits/circuits/?site=hall')).toEqual([one]);
    expect(await found('circuits/circuits/?region=europe')).toEqual([one]);
    expect(await found(`circuits/circuits/?location_id=${ids['room']}`)).toEqual([one]);
    expect(await found(`circuits/circuits/?provider_network_id=${ids['network']}`)).toEqual([one]);
    expect(await found('circuits/circuits/?site__n=hall&cid__isw=E-')).toEqual([two]);
    expect(await found('circuits/providers/?site=hall')).toEqual([ids['carrier']]);

    const blocked = await test.api.delete<{ detail: string }>(`/api/circuits/provider-networks/${ids['network']}/`);
    expect(blocked.status).toBe(409);
    expect(blocked.body.detail).toContain(`E-1: Termination Z (${z})`);
    await change(`dcim/locations/${ids['room']}`, { site: ids['otherSite'] });
    expect(await get(`dcim/sites/${ids['otherSite']}`)).toMatchObject({ circuit_count: 1 });
    expect(await get(`dcim/sites/${ids['site']}`)).toMatchObject({ circuit_count: 0 });

    await change(`circuits/circuit-terminations/${z}`, { circuit: two, term_side: 'A' });
    expect(await get(`circuits/circuits/${one}`)).toMatchObject({ termination_a: { id: a }, termination_z: null });
    expect(await get(`circuits/circuits/${two}`)).toMatchObject({ termination_a: { id: z }, termination_z: null });
    await change(`circuits/circuit-terminations/${a}`, { term_side: 'Z' });
    expect(await get(`circuits/circuits/${one}`)).toMatchObject({ termination_a: null, termination_z: { id: a } });
    expect((await test.api.delete(`/api/circuits/circuit-terminations/${a}/`)).status).toBe(204);
    expect(await get(`circuits/circuits/${one}`)).toMatchObject({ termination_a: null, termination_z: null });
    expect((await test.api.delete(`/api/circuits/circuits/${two}/`)).status).toBe(204);
    expect((await test.api.get(`/api/circuits/circuit-terminations/${z}/`)).status).toBe(404);
  });

  it('delete terminations together with their site or location', async () => {
    const site = await make('dcim/sites', { name: 'Shed', slug: 'shed' });
    const room = await make('dcim/locations', { name: 'Corner', slug: 'corner', site });
    const line = await make('circuits/circuits', circuit('L-1'));
    const ends = await test.api.post<{ id: number }[]>('/api/circuits/circuit-terminations/', {
      json: [
        { circuit: line, term_side: 'A', termination_type: 'dcim.site', termination_id: site },
        { circuit: line, term_side: 'Z', termination_type: 'dcim.location', termination_id: room },
      ],
    });
    expect(ends.status).toBe(201);
    expect(await get(`circuits/circuits/${line}`)).toMatchObject({
      termination_a: { id: ends.body[0]?.id },
      termination_z: { id: ends.body[1]?.id },
    });
    expect(await get(`dcim/sites/${site}`)).toMatchObject({ circuit_count: 2 });
    expect((await test.api.delete(`/api/dcim/sites/${site}/`)).status).toBe(204);
    expect(await get(`circuits/circuits/${line}`)).toMatchObject({ termination_a: null, termination_z: null });
    const { body: log } = await test.api.get<{ results: Json[] }>(
      '/api/core/object-changes/?changed_object_type=circuits.circuittermination&action=delete&limit=2',
    );
    expect(log.results.map(({ changed_object_id: id }) => id).toSorted()).toEqual(ends.body.map(({ id }) => id));
  });

  it('require a unit when a distance is given, and remove the unit when no distance is given', async () => {
    await refused('circuits/circuits', circuit('D-1', { distance: 5 }), {
      __all__: ['Must specify a unit when setting a distance'],
    });
    const far = await make('circuits/circuits', circuit('D-1', { distance: 5, distance_unit: 'km' }));
    expect((await change(`circuits/circuits/${far}`, { distance: null })).body).toMatchObject({
      distance: null,
      distance_unit: null,
    });
  });

  it('reject a second membership of a circuit in the same group', async () => {
    const group = await make('circuits/circuit-groups', { name: 'Ring', slug: 'ring' });
    const member = await make('circuits/circuits', circuit('G-1'));
    const belongs = { group, member_type: 'circuits.circuit', member_id: member, priority: 'primary' };
    await make('circuits/circuit-group-assignments', belongs);
    await refused('circuits/circuit-group-assignments', belongs, {
      __all__: ['Circuit group assignment with this Member type, Member ID and Group already exists.'],
    });
    await refused(
      'circuits/circuit-group-assignments',
      { ...belongs, member_type: 'dcim.site' },
      {
        member_type: ['Invalid content type: dcim.site'],
      },
    );
    const { assignments } = (await get(`circuits/circuits/${member}`)) as { assignments: Json[] };
    expect(assignments).toMatchObject([{ display: 'Ring (Primary)', group: { name: 'Ring' } }]);
    expect(Object.keys(assignments[0] ?? {})).toEqual(['id', 'url', 'display', 'group', 'priority']);
    expect(await get(`circuits/circuit-groups/${group}`)).toMatchObject({ circuit_count: 1 });
  });

  it('require a separate virtual interface for each end of a virtual circuit', async () => {
    for (const { path, body } of [...deviceSurroundings, deviceIn('Switch')]) await make(path.slice(5, -1), body);
    const port = (name: string, type: string) => make('dcim/interfaces', { device: { name: 'Switch' }, name, type });
    const [copper, virtual] = [await port('eth0', '1000base-t'), await port('vlan0', 'virtual')];
    const line = await make('circuits/virtual-circuits', {
      cid: 'V-9',
      provider_network: ids['network'],
      type: ids['virtualType'],
    });
    const problem = { __all__: ['Virtual circuits may be terminated only to virtual interfaces.'] };
    await refused('circuits/virtual-circuit-terminations', { virtual_circuit: line, interface: copper }, problem);
    const end = await make('circuits/virtual-circuit-terminations', { virtual_circuit: line, interface: virtual });
    expect(await change(`circuits/virtual-circuit-terminations/${end}`, { interface: copper })).toMatchObject({
      status: 400,
      body: problem,
    });
    await refused(
      'circuits/virtual-circuit-terminations',
      { virtual_circuit: line, interface: virtual },
      {
        interface: ['virtual circuit termination with this interface already exists.'],
      },
    );
  });

  it('return the number of providers of an AS number', async () => {
    const rir = await make('ipam/rirs', { name: 'RFC 6996', slug: 'rfc-6996' });
    const asn = await make('ipam/asns', { asn: 65_000, rir });
    await change(`circuits/providers/${ids['carrier']}`, { asns: [asn] });
    expect(await get(`ipam/asns/${asn}`)).toMatchObject({ provider_count: 1 });
    expect(await found('ipam/asns/?provider=carrier')).toEqual([asn]);
    expect(await found('ipam/asns/?provider=backup')).toEqual([]);
  });
});
