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

  const either = { __all__: ['A component template must be associated with either a device type or a module type.'] };
  const moved = { device_type: ['Component templates cannot be moved to a different device type.'] };

  describe.each(['console-port-templates', 'console-server-port-templates', 'power-port-templates'])('%s', (path) => {
    it('require either a device type or a module type', async () => {
      const { box, card } = types;
      const both = 'A component template cannot be associated with both a device type and a module type.';
      await refused(path, { name: 'A' }, either);
      await refused(path, { name: 'A', device_type: box, module_type: card }, { __all__: [both] });
    });

    it('reject a second template with the same name for a device type or module type', async () => {
      for (const [type, message] of [
        [{ device_type: types['box'] }, /Device type and Name/],
        [{ module_type: types['card'] }, /Module type and Name/],
      ] as const) {
        await make(path, { name: 'Twin', ...type });
        await refused(path, { name: 'Twin', ...type }, { __all__: [expect.stringMatching(message)] });
      }
    });

    it('reject a change of the device type, also to or from a module type', async () => {
      const { box, chassis, card } = types;
      const ofBox = await make(path, { name: 'Fixed', device_type: box });
      const ofCard = await make(path, { name: 'Fixed', module_type: card });
      await notChanged(`${path}/${ofBox}`, { device_type: chassis }, moved);
      await notChanged(`${path}/${ofBox}`, { device_type: null, module_type: card }, moved);
      await notChanged(`${path}/${ofCard}`, { device_type: box, module_type: null }, moved);
      await notChanged(`${path}/${ofCard}`, { module_type: null }, either);
    });

    it('accept a change of the module type', async () => {
      const { card, blade } = types;
      const ofCard = await make(path, { name: 'Movable', module_type: card });
      expect(await test.api.patch(`/api/dcim/${path}/${ofCard}/`, { json: { module_type: blade } })).toMatchObject({
        status: 200,
        body: { module_type: { id: blade }, device_type: null },
      });
    });
  });

  it('reject a change of the device type of a device bay template', async () => {
    const { box, chassis } = types;
    const bay = await make('device-bay-templates', { name: 'A', device_type: chassis });
    await notChanged(`device-bay-templates/${bay}`, { device_type: box }, moved);
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

  it('reject an outlet template whose power port has another device or module type', async () => {
    const { box, chassis, card } = types;
    const port = await make('power-port-templates', { name: 'In', label: 'L', device_type: box });
    const ofCard = await make('power-port-templates', { name: 'In', module_type: card });
    const outlet = await make('power-outlet-templates', { name: 'Out', device_type: box, power_port: port });
    await refused(
      'power-outlet-templates',
      { name: 'Out', device_type: chassis, power_port: port },
      { __all__: ['Parent power port (In (L)) must belong to the same device type'] },
    );
    await notChanged(
      `power-outlet-templates/${outlet}`,
      { power_port: ofCard },
      { __all__: ['Parent power port (In) must belong to the same device type'] },
    );
    await refused(
      'power-outlet-templates',
      [
        { name: 'Out', module_type: card, power_port: ofCard },
        { name: 'Out 2', module_type: card, power_port: port },
      ],
      { 1: { __all__: ['Parent power port (In (L)) must belong to the same module type'] } },
    );
  });

  const referredTo = {
    module_type: ['Component templates that others refer to cannot be moved to a different module type.'],
  };

  it('reject a change of the module type of a power port template to which an outlet template refers', async () => {
    const { card, blade } = types;
    const port = await make('power-port-templates', { name: 'Used', module_type: card });
    await make('power-outlet-templates', { name: 'Using', module_type: card, power_port: port });
    await notChanged(`power-port-templates/${port}`, { module_type: blade }, referredTo);
  });

  it('set power_port of an outlet template to null when the power port template is deleted', async () => {
    const { box } = types;
    const port = await make('power-port-templates', { name: 'Gone', device_type: box });
    const outlet = await make('power-outlet-templates', { name: 'Left', device_type: box, power_port: port });
    expect((await test.api.delete(`/api/dcim/power-port-templates/${port}/`)).status).toBe(204);
    const { body } = await test.api.get<Json>(`/api/dcim/power-outlet-templates/${outlet}/`);
    expect(body['power_port']).toBeNull();
  });

  it('reject a bridge of another device or module type', async () => {
    const { box, card } = types;
    const bridge = await make('interface-templates', { name: 'br0', device_type: box, type: 'bridge' });
    const other = { bridge: ['Bridge interface (br0) must belong to the same module type'] };
    const body = { name: 'e0', module_type: card, type: 'virtual' };
    await refused('interface-templates', { ...body, bridge }, other);
    const port = await make('interface-templates', body);
    await notChanged(`interface-templates/${port}`, { bridge }, other);
  });

  it('reject an interface template as its own bridge', async () => {
    const port = await make('interface-templates', { name: 'e1', module_type: types['card'], type: 'virtual' });
    const problem = { bridge: ['An interface cannot be bridged to itself.'] };
    await notChanged(`interface-templates/${port}`, { bridge: port }, problem);
  });

  it('reject a change of the module type of an interface template that is a bridge', async () => {
    const { card, blade } = types;
    const bridge = await make('interface-templates', { name: 'br1', module_type: card, type: 'bridge' });
    await make('interface-templates', { name: 'e2', module_type: card, type: '1000base-t', bridge });
    await notChanged(`interface-templates/${bridge}`, { module_type: blade }, referredTo);
  });

  it('reject a PoE type without a PoE mode, and both for virtual interface templates', async () => {
    const { box } = types;
    const wired = await make('interface-templates', { name: 'e3', device_type: box, type: '1000base-t' });
    const bridge = await make('interface-templates', { name: 'br2', device_type: box, type: 'bridge' });
    const poe_type = 'type1-ieee802.3af';
    const missingMode = ['Must specify PoE mode when designating a PoE type.'];
    await notChanged(`interface-templates/${wired}`, { poe_type }, { poe_type: missingMode });
    const path = `interface-templates/${bridge}`;
    await notChanged(path, { poe_mode: 'pd' }, { poe_mode: ['Virtual interfaces cannot have a PoE mode.'] });
    await notChanged(path, { poe_type }, { poe_type: ['Virtual interfaces cannot have a PoE type.'] });
  });

  it('accept a wireless role only for wireless interface templates', async () => {
    const port = await make('interface-templates', { name: 'e4', device_type: types['box'], type: '1000base-t' });
    const problem = { rf_role: ['Wireless role may be set only on wireless interfaces.'] };
    await notChanged(`interface-templates/${port}`, { rf_role: 'ap' }, problem);
    const json = { type: '5g', rf_role: 'station', poe_mode: 'pd', poe_type: 'type1-ieee802.3af' };
    expect((await test.api.patch(`/api/dcim/interface-templates/${port}/`, { json })).status).toBe(200);
  });

  it('reject a device bay template of a device type that is no parent', async () => {
    await refused(
      'device-bay-templates',
      { name: 'B', device_type: types['box'] },
      { __all__: ['Subdevice role of device type (Box) must be set to "parent" to allow device bays.'] },
    );
  });

  it('reject a second device bay template with the same name for a device type', async () => {
    const body = { name: 'B', device_type: types['chassis'] };
    await make('device-bay-templates', body);
    const problem = ['Device bay template with this Device type and Name already exists.'];
    await refused('device-bay-templates', body, { __all__: problem });
  });
});
