import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('writes of component templates', () => {
  let test: TestInventory;
  const types: Record<string, number> = {};

  const make = async (path: string, json: Json): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/dcim/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    return body.id;
  };
  const refused = async (path: string, json: unknown, body: Json): Promise<void> => {
    expect(await test.api.post(`/api/dcim/${path}/`, { json })).toMatchObject({ status: 400, body });
  };
  const notChanged = async (path: string, json: Json, body: Json): Promise<void> => {
    const response = await test.api.patch(`/api/dcim/${path}/`, { json });
    expect([response.status, response.body]).toEqual([400, body]);
  };

  beforeAll(async () => {
    test = await startInventory();
    const manufacturer = await make('manufacturers', { name: 'Acme', slug: 'acme' });
    const type = (model: string, more: Json = {}): Json => ({
      manufacturer,
      model,
      slug: model.toLowerCase(),
      ...more,
    });
    types['box'] = await make('device-types', type('Box'));
    types['chassis'] = await make('device-types', type('Chassis', { subdevice_role: 'parent' }));
    types['card'] = await make('module-types', { manufacturer, model: 'Card' });
    types['blade'] = await make('module-types', { manufacturer, model: 'Blade' });
  });
  afterAll(() => test.close());

  it('require exactly one device type or module type, and reject a change of this type', async () => {
    const { box, chassis, card, blade } = types;
    const [either, both] = [
      ['A component template must be associated with either a device type or a module type.'],
      ['A component template cannot be associated with both a device type and a module type.'],
    ];
    const moved = { device_type: ['Component templates cannot be moved to a different device type.'] };
    for (const path of ['console-port-templates', 'console-server-port-templates', 'power-port-templates']) {
      await refused(path, { name: 'A' }, { __all__: either });
      await refused(path, { name: 'A', device_type: box, module_type: card }, { __all__: both });
      const ofBox = await make(path, { name: 'A', device_type: box });
      await refused(
        path,
        { name: 'A', device_type: box },
        { __all__: [expect.stringMatching(/Device type and Name/)] },
      );
      const ofCard = await make(path, { name: 'A', module_type: card });
      await refused(
        path,
        { name: 'A', module_type: card },
        { __all__: [expect.stringMatching(/Module type and Name/)] },
      );
      await notChanged(`${path}/${ofBox}`, { device_type: chassis }, moved);
      await notChanged(`${path}/${ofBox}`, { device_type: null, module_type: card }, moved);
      await notChanged(`${path}/${ofCard}`, { device_type: box, module_type: null }, moved);
      await notChanged(`${path}/${ofCard}`, { module_type: null }, { __all__: either });
      expect(await test.api.patch(`/api/dcim/${path}/${ofCard}/`, { json: { module_type: blade } })).toMatchObject({
        status: 200,
        body: { module_type: { id: blade }, device_type: null },
      });
    }
    await notChanged(
      `device-bay-templates/${await make('device-bay-templates', { name: 'A', device_type: chassis })}`,
      { device_type: box },
      moved,
    );
  });

  it('record the device or module type of a template in the change log', async () => {
    const { box, card } = types;
    const made = [
      await make('module-bay-templates', { name: 'Logged', device_type: box }),
      await make('module-bay-templates', { name: 'Logged', module_type: card }),
    ];
    // One statement creates a single object with its change record. For several objects, another statement writes the
    // records.
    const json = [
      { id: made[0], label: 'x' },
      { id: made[1], label: 'x' },
    ];
    await test.api.patch('/api/dcim/module-bay-templates/', { json });
    for (const [index, [type, id]] of [['devicetype', box] as const, ['moduletype', card] as const].entries()) {
      const found = { related_object_type: `dcim.${type}`, related_object_id: id, changed_object_id: made[index] };
      const query = { ...found, changed_object_type: 'dcim.modulebaytemplate' };
      const { body } = await test.api.get<{ results: Json[] }>('/api/core/object-changes/', { query });
      expect(body.results.map(({ action }) => action)).toMatchObject([{ value: 'update' }, { value: 'create' }]);
    }
  });

  it('reject an allocated draw above the maximum draw', async () => {
    const { box } = types;
    const problem = { allocated_draw: ['Allocated draw cannot exceed the maximum draw (100W).'] };
    await refused(
      'power-port-templates',
      { name: 'P', device_type: box, maximum_draw: 100, allocated_draw: 101 },
      problem,
    );
    const port = await make('power-port-templates', { name: 'P', device_type: box, allocated_draw: 101 });
    await notChanged(`power-port-templates/${port}`, { maximum_draw: 100 }, problem);
  });

  it('require that the power port of an outlet template has the same device or module type', async () => {
    const { box, chassis, card, blade } = types;
    const port = await make('power-port-templates', { name: 'In', label: 'L', device_type: box });
    const ofCard = await make('power-port-templates', { name: 'In', module_type: card });
    const outlet = await make('power-outlet-templates', { name: 'Out', device_type: box, power_port: port });
    const other = { __all__: ['Parent power port (In (L)) must belong to the same device type'] };
    await refused('power-outlet-templates', { name: 'Out', device_type: chassis, power_port: port }, other);
    await notChanged(
      `power-outlet-templates/${outlet}`,
      { power_port: ofCard },
      {
        __all__: ['Parent power port (In) must belong to the same device type'],
      },
    );
    const wrong = { __all__: ['Parent power port (In (L)) must belong to the same module type'] };
    await refused(
      'power-outlet-templates',
      [
        { name: 'Out', module_type: card, power_port: ofCard },
        { name: 'Out 2', module_type: card, power_port: port },
      ],
      { 1: wrong },
    );
    await make('power-outlet-templates', { name: 'Out', module_type: card, power_port: ofCard });
    await notChanged(
      `power-port-templates/${ofCard}`,
      { module_type: blade },
      {
        module_type: ['Component templates that others refer to cannot be moved to a different module type.'],
      },
    );
    expect((await test.api.delete(`/api/dcim/power-port-templates/${port}/`)).status).toBe(204);
    const { body } = await test.api.get<Json>(`/api/dcim/power-outlet-templates/${outlet}/`);
    expect(body['power_port']).toBeNull();
  });

  it('require a bridge of the same device type', async () => {
    const { box, card, blade } = types;
    const bridge = await make('interface-templates', { name: 'br0', device_type: box, type: 'bridge' });
    const own = await make('interface-templates', { name: 'br0', module_type: card, type: 'bridge' });
    await refused(
      'interface-templates',
      { name: 'e0', module_type: card, type: 'virtual', bridge },
      {
        bridge: ['Bridge interface (br0) must belong to the same module type'],
      },
    );
    const port = await make('interface-templates', { name: 'e0', module_type: card, type: '1000base-t', bridge: own });
    const path = `interface-templates/${port}`;
    await notChanged(path, { bridge }, { bridge: ['Bridge interface (br0) must belong to the same module type'] });
    await notChanged(path, { bridge: port }, { bridge: ['An interface cannot be bridged to itself.'] });
    await notChanged(
      `interface-templates/${own}`,
      { module_type: blade },
      {
        module_type: ['Component templates that others refer to cannot be moved to a different module type.'],
      },
    );
    await notChanged(
      path,
      { poe_type: 'type1-ieee802.3af' },
      {
        poe_type: ['Must specify PoE mode when designating a PoE type.'],
      },
    );
    await notChanged(path, { rf_role: 'ap' }, { rf_role: ['Wireless role may be set only on wireless interfaces.'] });
    await notChanged(
      `interface-templates/${bridge}`,
      { poe_mode: 'pd' },
      {
        poe_mode: ['Virtual interfaces cannot have a PoE mode.'],
      },
    );
    await notChanged(
      `interface-templates/${bridge}`,
      { poe_type: 'type1-ieee802.3af' },
      {
        poe_type: ['Virtual interfaces cannot have a PoE type.'],
      },
    );
    const fine = { type: '5g', rf_role: 'station', poe_mode: 'pd', poe_type: 'type1-ieee802.3af' };
    expect((await test.api.patch(`/api/dcim/${path}/`, { json: fine })).status).toBe(200);
  });

  it('allow device bays on parent device types only', async () => {
    const { box, chassis } = types;
    await refused(
      'device-bay-templates',
      { name: 'B', device_type: box },
      {
        __all__: ['Subdevice role of device type (Box) must be set to "parent" to allow device bays.'],
      },
    );
    await make('device-bay-templates', { name: 'B', device_type: chassis });
    await refused(
      'device-bay-templates',
      { name: 'B', device_type: chassis },
      {
        __all__: ['Device bay template with this Device type and Name already exists.'],
      },
    );
  });
});
