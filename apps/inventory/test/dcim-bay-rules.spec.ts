import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { deviceBasics, deviceSurroundings } from './support/device-fixtures.js';
import { startInventory, type TestInventory } from './support/test-service.js';

type Json = Record<string, unknown>;

describe('writes of bays, modules and inventory items', () => {
  let test: TestInventory;
  const ids: Record<string, number> = {};

  const make = async (path: string, json: Json): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/dcim/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    return body.id;
  };
  const refused = async (path: string, json: unknown, body: Json | Json[]): Promise<void> => {
    const response = await test.api.post(`/api/dcim/${path}/`, { json });
    expect([response.status, response.body]).toEqual([400, body]);
  };
  const change = async (path: string, json: Json): Promise<[status: number, body: Json]> => {
    const { status, body } = await test.api.patch<Json>(`/api/dcim/${path}/`, { json });
    return [status, body];
  };
  const read = async (path: string): Promise<Json> => (await test.api.get<Json>(`/api/dcim/${path}/`)).body;
  const found = async (query: string): Promise<number[]> => {
    const { body } = await test.api.get<{ results: { id: number }[] }>(`/api/dcim/${query}`);
    return body.results.map(({ id }) => id);
  };

  beforeAll(async () => {
    test = await startInventory();
    for (const { path, body } of deviceSurroundings) await test.api.post(path, { json: body });
    const type = async (model: string, subdevice_role: string): Promise<number> =>
      make('device-types', { manufacturer: 1, model, slug: model.toLowerCase(), subdevice_role, u_height: 0 });
    const device = async (name: string, device_type: number): Promise<number> =>
      make('devices', { ...deviceBasics, name, device_type });
    const [chassis, blade] = [await type('Chassis', 'parent'), await type('Blade', 'child')];
    ids['one'] = await device('One', chassis);
    ids['two'] = await device('Two', chassis);
    ids['box'] = await device('Box', 1);
    ids['blade'] = await device('Blade 1', blade);
    ids['card'] = await make('module-types', { manufacturer: 1, model: 'Card' });
  });
  afterAll(() => test.close());

  const bay = async (name: string, more: Json = {}): Promise<number> =>
    make('module-bays', { device: ids['one'], name, ...more });
  const install = async (moduleBay: number): Promise<number> =>
    make('modules', { device: ids['one'], module_bay: moduleBay, module_type: ids['card'] });

  it('require an enabled and empty module bay of the same device', async () => {
    const { one, two, card } = ids;
    const body = { device: one, module_type: card };
    const [free, disabled] = [await bay('Free'), await bay('Disabled', { enabled: false })];
    const elsewhere = await bay('Elsewhere', { device: two });
    expect(await read(`module-bays/${disabled}`)).toMatchObject({ installed_module: null, _occupied: true });
    await refused(
      'modules',
      { ...body, module_bay: elsewhere },
      {
        __all__: ['Module must be installed within a module bay belonging to the assigned device (One).'],
      },
    );
    const closed = { module_bay: ['Cannot install a module in a disabled module bay.'] };
    await refused('modules', { ...body, module_bay: disabled }, closed);
    await refused(
      'modules',
      { ...body, module_bay: free, replicate_components: 'x', adopt_components: null },
      {
        replicate_components: ['Must be a valid boolean.'],
        adopt_components: ['This field may not be null.'],
      },
    );
    const module = await install(free);
    await refused(
      'modules',
      { ...body, module_bay: free },
      {
        module_bay: ['Module with this Module bay already exists.'],
      },
    );
    expect(await read(`module-bays/${free}`)).toMatchObject({
      _occupied: true,
      installed_module: { id: module, display: `Free: Card (${module})`, serial: '', description: '' },
    });
    expect(await found(`module-bays/?installed_module_id=${module}`)).toEqual([free]);
    // An installed module may remain in a bay that is disabled.
    expect((await change(`module-bays/${free}`, { enabled: false }))[0]).toBe(200);
    expect((await change(`modules/${module}`, { serial: 'S' }))[0]).toBe(200);
    expect(await change(`modules/${module}`, { module_bay: disabled })).toEqual([400, closed]);

    const port = await make('console-ports', { device: one, name: 'On card', module });
    expect(await change(`modules/${module}`, { device: two, module_bay: elsewhere })).toEqual([
      400,
      { device: ['A module with components cannot be moved to a different device.'] },
    ]);
    const { module: shown } = await read(`console-ports/${port}`);
    expect(Object.keys(Object(shown))).toEqual(['id', 'url', 'display', 'device', 'module_bay']);
    const other = { module: ['The selected module belongs to a different device (One).'] };
    await refused('module-bays', { device: two, name: 'Wrong', module }, other);
    await refused('front-ports', { device: two, name: 'Wrong', type: 'lc', module }, other);
    await test.api.delete(`/api/dcim/console-ports/${port}/`);
    expect((await change(`modules/${module}`, { device: two, module_bay: elsewhere }))[0]).toBe(200);
    expect((await test.api.delete(`/api/dcim/module-bays/${elsewhere}/`)).status).toBe(204);
    expect((await test.api.get(`/api/dcim/modules/${module}/`)).status).toBe(404);
  });

  it('place the bays of a module below the bay in which the module is installed', async () => {
    const [outer, spare] = [await bay('Outer'), await bay('Spare')];
    const module = await install(outer);
    const inner = await bay('Inner', { module });
    const nested = await install(inner);
    const innermost = await bay('Innermost', { module: nested });
    expect((await read(`module-bays/${inner}`))['module']).toEqual({
      id: module,
      url: `http://localhost/api/dcim/modules/${module}/`,
      display: `Outer: Card (${module})`,
    });
    expect(await found(`module-bays/?parent_id=${outer}`)).toEqual([inner]);
    // A filter by a node of the tree includes the nodes below it.
    expect(await found(`modules/?module_bay_id=${outer}`)).toEqual(expect.arrayContaining([module, nested]));
    await refused(
      'module-bays',
      { device: ids['one'], name: 'Inner', module },
      {
        __all__: ['Module bay with this Device, Module and Name already exists.'],
      },
    );

    const within = { __all__: ['A module bay cannot belong to a module installed within it.'] };
    expect(await change(`module-bays/${outer}`, { module })).toEqual([400, within]);
    expect(await change(`module-bays/${outer}`, { module: nested })).toEqual([400, within]);
    expect(await change(`modules/${module}`, { module_bay: innermost })).toEqual([400, within]);
    expect((await change(`modules/${module}`, { module_bay: spare }))[0]).toBe(200);
    expect(await found(`module-bays/?parent_id=${spare}`)).toEqual([inner]);
    expect(await found(`modules/?module_bay_id=${spare}`)).toEqual(expect.arrayContaining([module, nested]));
    expect(await found(`modules/?module_bay_id=${outer}`)).toEqual([]);
    expect((await change(`module-bays/${inner}`, { module: null }))[0]).toBe(200);
    expect(await found(`modules/?module_bay_id=${spare}`)).toEqual([module]);

    await change(`module-bays/${inner}`, { module });
    expect((await test.api.delete(`/api/dcim/modules/${module}/`)).status).toBe(204);
    expect(await found(`module-bays/?id=${inner}&id=${innermost}&id=${outer}&id=${spare}`)).toEqual(
      expect.not.arrayContaining([inner, innermost]),
    );
  });

  it('require an enabled and empty device bay of a parent device', async () => {
    const { one, two, box, blade } = ids;
    await refused(
      'device-bays',
      { device: box, name: 'D' },
      {
        __all__: ['This type of device (Box 1) does not support device bays.'],
      },
    );
    const closed = { installed_device: ['Cannot install a device in a disabled device bay.'] };
    await refused('device-bays', { device: one, name: 'D', enabled: false, installed_device: blade }, closed);
    await refused(
      'device-bays',
      { device: one, name: 'D', installed_device: one },
      {
        __all__: ['Cannot install a device into itself.'],
      },
    );
    await refused(
      'device-bays',
      [
        { device: one, name: 'D 1' },
        { device: one, name: 'D 2', installed_device: box },
      ],
      [{}, { installed_device: ['This type of device (Box 1) cannot be installed in a device bay.'] }],
    );
    const first = await make('device-bays', { device: one, name: 'D', label: 'L', installed_device: blade });
    await refused(
      'device-bays',
      { device: two, name: 'D', installed_device: blade },
      {
        installed_device: ['Cannot install the specified device; device is already installed in D (L).'],
      },
    );
    expect((await change(`device-bays/${first}`, { enabled: false }))[1]).toMatchObject({ _occupied: true });
    expect((await change(`device-bays/${first}`, { installed_device: null }))[1]).toMatchObject({ _occupied: true });
    expect(await change(`device-bays/${first}`, { installed_device: blade })).toEqual([400, closed]);
    expect((await change(`device-bays/${first}`, { enabled: true }))[1]).toMatchObject({ _occupied: false });
    expect(await change(`device-bays/${first}`, { device: two })).toEqual([
      400,
      { device: ['Components cannot be moved to a different device.'] },
    ]);
    await change(`device-bays/${first}`, { installed_device: blade });
    expect((await test.api.delete(`/api/dcim/devices/${blade}/`)).status).toBe(204);
    expect(await read(`device-bays/${first}`)).toMatchObject({ installed_device: null, _occupied: false });
  });

  it('show the new name of a chassis device in the device installed in its bay', async () => {
    const path = '/api/dcim/devices/';
    const chassis = await test.api.post<{ id: number }[]>(path, {
      json: ['Frame', 'Card'].map((name) => ({
        ...deviceBasics,
        name,
        device_type: { model: name === 'Frame' ? 'Chassis' : 'Blade' },
      })),
    });
    const [frame, card] = chassis.body.map(({ id }) => id);
    await make('device-bays', { device: frame, name: 'F1', installed_device: card });
    const names = new Map([
      [frame, 'New frame'],
      [card, 'New card'],
    ]);
    const list = await test.api.patch<Json[]>(path, { json: [...names].map(([id, name]) => ({ id, name })) });
    expect(list.body).toMatchObject([
      { name: 'New frame', parent_device: null },
      { name: 'New card', parent_device: { name: 'New frame' } },
    ]);
  });

  it('reject the parent of an inventory item when the parent is in another device', async () => {
    const { one, two } = ids;
    const item = async (name: string, more: Json = {}): Promise<number> =>
      make('inventory-items', { device: one, name, ...more });
    const [root, elsewhere] = [await item('Root'), await item('Root', { device: two })];
    const below = await item('Below', { parent: root });
    expect(await read(`inventory-items/${below}`)).toMatchObject({ parent: root, _depth: 1 });
    const apart = { parent: ['Parent inventory item does not belong to the same device.'] };
    await refused('inventory-items', { device: one, name: 'X', parent: elsewhere }, apart);
    expect(await change(`inventory-items/${below}`, { device: two })).toEqual([400, apart]);
    expect(await change(`inventory-items/${root}`, { device: two })).toEqual([
      400,
      { __all__: ['Cannot move an inventory item with dependent children'] },
    ]);
    const cycle = { parent: ['Cannot assign self or child inventory item as parent.'] };
    expect(await change(`inventory-items/${root}`, { parent: below })).toEqual([400, cycle]);
    await refused(
      'inventory-items',
      { device: one, name: 'Below', parent: root },
      {
        __all__: ['Inventory item with this Device, Parent and Name already exists.'],
      },
    );
    await refused(
      'inventory-items',
      { device: one, name: 'X', parent: 999_999 },
      {
        parent: ['Invalid pk "999999" - object does not exist.'],
      },
    );
    expect((await change(`inventory-items/${below}`, { device: two, parent: elsewhere }))[0]).toBe(200);
    expect((await test.api.delete(`/api/dcim/inventory-items/${elsewhere}/`)).status).toBe(204);
    expect((await test.api.get(`/api/dcim/inventory-items/${below}/`)).status).toBe(404);
  });

  it('reject the component of an inventory item when the component is in another device', async () => {
    const { one, two } = ids;
    const [port, far] = [
      await make('power-ports', { device: one, name: 'Con' }),
      await make('power-ports', { device: two, name: 'Con' }),
    ];
    const component = (id: number): Json => ({ component_type: 'dcim.powerport', component_id: id });
    const apart = { device: ['Cannot assign inventory item to component on another device'] };
    await refused('inventory-items', { device: one, name: 'Part', ...component(far) }, apart);
    const part = await make('inventory-items', { device: one, name: 'Part', ...component(port) });
    expect(await change(`inventory-items/${part}`, component(far))).toEqual([400, apart]);
    const [status, moved] = await change(`inventory-items/${part}`, { device: two });
    expect([status, moved]).toMatchObject([200, { component: null, component_type: null, component_id: null }]);
    expect((await change(`inventory-items/${part}`, component(far)))[1]).toMatchObject({ component: { id: far } });
    expect((await change(`inventory-items/${part}`, { component_id: null }))[1]).toEqual({
      component_id: ['This field cannot be null.'],
    });
    expect((await test.api.delete(`/api/dcim/power-ports/${far}/`)).status).toBe(204);
    expect((await test.api.get(`/api/dcim/inventory-items/${part}/`)).status).toBe(404);
  });

  it('reject a power port whose allocated draw exceeds its maximum draw', async () => {
    await refused(
      'power-ports',
      { device: ids['one'], name: 'P', maximum_draw: 100, allocated_draw: 101 },
      {
        allocated_draw: ['Allocated draw cannot exceed the maximum draw (100W).'],
      },
    );
  });

  it('require that inventory item templates and their components have the same device type', async () => {
    const [chassis, box] = [2, 1];
    const item = async (name: string, more: Json = {}): Promise<number> =>
      make('inventory-item-templates', { device_type: chassis, name, ...more });
    const [root, elsewhere] = [await item('Root'), await item('Root', { device_type: box })];
    await refused(
      'inventory-item-templates',
      { device_type: chassis, name: 'X', parent: elsewhere },
      {
        parent: ['Parent inventory item template does not belong to the same device type.'],
      },
    );
    const below = await item('Below', { parent: root });
    expect(await change(`inventory-item-templates/${root}`, { parent: below })).toEqual([
      400,
      { parent: ['Cannot assign self or child inventory item template as parent.'] },
    ]);
    expect(await change(`inventory-item-templates/${root}`, { device_type: box })).toEqual([
      400,
      { device_type: ['Component templates cannot be moved to a different device type.'] },
    ]);
    const port = await make('power-port-templates', { device_type: box, name: 'Con' });
    const component = { component_type: 'dcim.powerporttemplate', component_id: port };
    const apart = ['Cannot assign inventory item template to component template of another device type'];
    expect(await change(`inventory-item-templates/${below}`, component)).toEqual([400, { component_id: apart }]);
    expect((await change(`inventory-item-templates/${elsewhere}`, component))[0]).toBe(200);
    expect((await test.api.delete(`/api/dcim/power-port-templates/${port}/`)).status).toBe(204);
    expect((await test.api.get(`/api/dcim/inventory-item-templates/${elsewhere}/`)).status).toBe(404);
  });
});
