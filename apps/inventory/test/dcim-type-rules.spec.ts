import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('writes of device types and module types', () => {
  let test: TestInventory;
  beforeAll(async () => {
    test = await startInventory();
    await make('dcim/manufacturers', { name: 'Acme', slug: 'acme' });
    await make('dcim/device-roles', { name: 'Access', slug: 'access' });
    await make('dcim/sites', { name: 'Here', slug: 'here' });
  });
  afterAll(() => test.close());

  const make = async (path: string, json: Json): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    return body.id;
  };
  const change = async (path: string, json: Json): Promise<Json> => {
    const { status, body } = await test.api.patch<Json>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 200, body]);
    return body;
  };
  const unchanged = async (path: string, json: unknown, body: Json): Promise<void> => {
    expect(await test.api.patch(`/api/${path}/`, { json })).toMatchObject({ status: 400, body });
  };

  let made = 0;
  const bodyOf = (fields: Json = {}): Json => {
    made += 1;
    return { manufacturer: { slug: 'acme' }, model: `Box ${made}`, slug: `box-${made}`, ...fields };
  };
  const typeOf = (fields: Json = {}): Promise<number> => make('dcim/device-types', bodyOf(fields));
  const deviceOf = (type: number, fields: Json = {}): Promise<number> =>
    make('dcim/devices', { device_type: type, role: { slug: 'access' }, site: { slug: 'here' }, ...fields });

  it('accept heights of half units, and height 0 for child devices', async () => {
    const refused = async (fields: Json, body: Json): Promise<void> => {
      expect(await test.api.post('/api/dcim/device-types/', { json: bodyOf(fields) })).toMatchObject({
        status: 400,
        body,
      });
    };
    const steps = ['U height must be in increments of 0.5 rack units.'];
    await refused({ u_height: 1.3 }, { u_height: steps });
    await refused({ u_height: 1.25 }, { u_height: ['Ensure that there are no more than 1 decimal places.'] });
    await refused({ u_height: -1 }, { u_height: ['Ensure this value is greater than or equal to 0.'] });
    await refused({ subdevice_role: 'child' }, { u_height: ['Child device types must be 0U.'] });
    const type = await typeOf({ u_height: '0.5' });
    expect(await change(`dcim/device-types/${type}`, { u_height: 1.5 })).toMatchObject({ u_height: 1.5 });
    const same = { manufacturer: { slug: 'acme' }, model: `Box ${made}`, slug: `box-${made}` };
    expect(await test.api.post('/api/dcim/device-types/', { json: same })).toMatchObject({
      status: 400,
      body: {
        __all__: [
          'Device type with this Manufacturer and Model already exists.',
          'Device type with this Manufacturer and Slug already exists.',
        ],
      },
    });
  });

  it('reject a greater height if the racks of existing devices have no room', async () => {
    const rack = await make('dcim/racks', { name: 'Rack 1', site: { slug: 'here' }, u_height: 10 });
    const [full, half, stuck] = [await typeOf(), await typeOf({ is_full_depth: false }), await typeOf()];
    await deviceOf(full, { name: 'low', rack, position: 1, face: 'front' });
    await deviceOf(half, { name: 'middle', rack, position: 3, face: 'front' });
    await deviceOf(half, { name: 'back', rack, position: 5, face: 'rear' });
    await deviceOf(stuck, { name: 'top', rack, position: 10, face: 'front' });
    const short = (device: string, height: string): Json => ({
      u_height: [
        `Device ${device} in rack Rack 1 does not have sufficient space to accommodate a height of ${height}U`,
      ],
    });
    await change(`dcim/device-types/${full}`, { u_height: 2 });
    await unchanged(`dcim/device-types/${full}`, { u_height: 2.5 }, short('low', '2.5'));
    await unchanged(`dcim/device-types/${stuck}`, { u_height: 1.5 }, short('top', '1.5'));
    // The other device in these units is on the opposite face of the rack.
    await change(`dcim/device-types/${half}`, { u_height: 4 });
    await unchanged(
      `dcim/device-types/${half}`,
      { u_height: 0 },
      {
        u_height: ['Unable to set 0U height: Found 2 instances already mounted within racks.'],
      },
    );
    await change(`dcim/device-types/${half}`, { u_height: 0.5 });
    const { body } = await test.api.get<{ results: Json[] }>('/api/dcim/device-types/?device_count=2');
    expect(body.results).toMatchObject([{ id: half, device_count: 2 }]);
  });

  it('reject child device types that have device bays', async () => {
    const type = await typeOf({ subdevice_role: 'parent' });
    const bay = await make('dcim/device-bay-templates', { device_type: type, name: 'Bay 1' });
    const found = await test.api.get<{ results: Json[] }>('/api/dcim/device-types/?device_bays=true');
    expect(found.body.results).toMatchObject([{ id: type, device_bay_template_count: 1 }]);
    const message =
      'Must delete all device bay templates associated with this device before declassifying it as a parent device.';
    for (const role of [null, 'child']) {
      await unchanged(
        `dcim/device-types/${type}`,
        { subdevice_role: role, u_height: 0 },
        { subdevice_role: [message] },
      );
    }
    expect((await test.api.delete(`/api/dcim/device-bay-templates/${bay}/`)).status).toBe(204);
    await change(`dcim/device-types/${type}`, { subdevice_role: null });
  });

  it('return how many component templates a type has, and support filters by templates', async () => {
    const type = await make('dcim/module-types', { manufacturer: { slug: 'acme' }, model: 'Card' });
    for (const name of ['eth0', 'eth1']) {
      await make('dcim/interface-templates', { module_type: type, name, type: '1000base-t' });
    }
    for (const query of ['interface_template_count=2', 'interfaces=true', 'pass_through_ports=false']) {
      const { body } = await test.api.get<{ results: Json[] }>(`/api/dcim/module-types/?${query}`);
      expect(body.results).toMatchObject([{ id: type, interface_template_count: 2, module_count: 0 }]);
    }
  });

  it('validate attributes against the schema of the profile, merge attributes by key, and filter by attributes', async () => {
    const schema = {
      properties: { cores: { type: 'integer', minimum: 1 }, arch: { enum: ['arm', 'x86'] } },
      required: ['cores'],
    };
    const cpu = await make('dcim/module-type-profiles', { name: 'CPU', schema });
    const free = await make('dcim/module-type-profiles', { name: 'Free' });
    for (const wrong of [[], 5, 'text', { type: 'objekt' }]) {
      await unchanged(
        `dcim/module-type-profiles/${free}`,
        { schema: wrong },
        { schema: ['Invalid JSON schema definition'] },
      );
    }
    const body = { manufacturer: { slug: 'acme' }, model: 'CPU 1', profile: cpu };
    const refused = async (attributes: unknown, message: RegExp): Promise<void> => {
      const response = await test.api.post('/api/dcim/module-types/', { json: { ...body, attributes } });
      expect(response).toMatchObject({ status: 400, body: { __all__: [expect.stringMatching(message)] } });
    };
    await refused({}, /^Invalid schema: cores: /);
    await refused({ cores: 0 }, /^Invalid schema: cores: /);
    await refused({ cores: 4, arch: 'z80' }, /^Invalid schema: arch: /);
    const type = await make('dcim/module-types', { ...body, attributes: { cores: 4, arch: 'arm' } });
    const plain = await make('dcim/module-types', { ...body, model: 'CPU 2' });
    await unchanged(
      `dcim/module-types/${type}`,
      { attributes: { cores: 'many' } },
      {
        __all__: [expect.stringMatching(/^Invalid schema: cores: /)],
      },
    );
    expect(await change(`dcim/module-types/${type}`, { attributes: { cores: 8 } })).toMatchObject({
      attributes: { cores: 8, arch: 'arm' },
    });
    const list = {
      json: [
        { id: plain, attributes: { cores: 2 } },
        { id: type, attributes: { cores: 0 } },
      ],
    };
    expect(await test.api.patch('/api/dcim/module-types/', list)).toMatchObject({
      status: 400,
      body: { __all__: ['Invalid schema: cores: Too small: expected number to be >=1'] },
    });
    const found = async (query: string): Promise<unknown[]> => {
      const response = await test.api.get<{ results: Json[] }>(`/api/dcim/module-types/?profile=CPU&${query}`, {
        unchecked: true,
      });
      return response.body.results.map(({ id }) => id);
    };
    expect(
      await Promise.all(
        ['attr_cores=8', 'attr_cores__gte=9', 'attr_arch=arm', 'attr_arch=8', 'attr_cores__n=8'].map(found),
      ),
    ).toEqual([[type], [], [type], [], [plain]]);
    const strict = await test.api.get('/api/dcim/module-types/?attr_cores=8', {
      unchecked: true,
      headers: { 'x-strict-filters': 'true' },
    });
    expect(strict.status).toBe(200);
    expect(await change(`dcim/module-types/${type}`, { profile: free })).toMatchObject({ attributes: null });
    expect(await change(`dcim/module-types/${type}`, { attributes: { any: 1 } })).toMatchObject({ attributes: null });
  });

  it('require platform names that are unique per manufacturer', async () => {
    const linux = await make('dcim/platforms', { name: 'Linux', slug: 'linux' });
    await make('dcim/platforms', { name: 'Linux', slug: 'linux', manufacturer: { slug: 'acme' } });
    expect(
      await test.api.post('/api/dcim/platforms/', { json: { name: 'Linux', slug: 'linux-2', parent: linux } }),
    ).toMatchObject({
      status: 400,
      body: { __all__: ['Platform name must be unique.'] },
    });
    const own = { name: 'Other', slug: 'linux', manufacturer: { slug: 'acme' } };
    expect(await test.api.post('/api/dcim/platforms/', { json: own })).toMatchObject({
      status: 400,
      body: { __all__: ['Platform with this Manufacturer and Slug already exists.'] },
    });
  });

  it('name the objects that prevent the deletion of a manufacturer or role', async () => {
    const maker = await make('dcim/manufacturers', { name: 'Busy', slug: 'busy' });
    const type = await typeOf({ manufacturer: maker, model: 'Used' });
    const roles = [await make('dcim/device-roles', { name: 'Top', slug: 'top' })];
    roles.push(await make('dcim/device-roles', { name: 'Below', slug: 'below', parent: roles[0] }));
    const device = await deviceOf(type, { name: 'in use', role: roles[1] });
    const used = (what: string): Json => ({
      detail: `Unable to delete object. 1 dependent objects were found: ${what}`,
    });
    expect(await test.api.delete(`/api/dcim/manufacturers/${maker}/`)).toMatchObject({
      status: 409,
      body: used(`Used (${type})`),
    });
    expect(await test.api.delete(`/api/dcim/device-roles/${roles[0]}/`)).toMatchObject({
      status: 409,
      body: used(`in use (${device})`),
    });
    const { body } = await test.api.get<Json>(`/api/dcim/device-roles/${roles[0]}/`);
    expect(body).toMatchObject({ device_count: 1, _depth: 0 });
  });
});
