import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startInventory, type TestInventory } from './support/test-service.js';
import { permittedUser } from './support/permitted-user.js';

type Json = Record<string, unknown>;

const code = `{% for port in device.powerports.all() %}{{ port.get_power_draw() }} {{ port.get_downstream_powerports() }}
{%- for below in port.get_downstream_powerports(leg='A') %} {{ below.device.name }}/{{ below.name }}{% endfor %}{% endfor %}`;

describe('power draws in config templates', () => {
  let test: TestInventory;
  const basics: Json = {};

  const make = async (path: string, json: Json): Promise<number> => {
    const { status, body } = await test.api.post<{ id: number }>(`/api/${path}/`, { json });
    expect([path, status, body]).toEqual([path, 201, body]);
    return body.id;
  };
  const connect = (port: number, outlet: number): Promise<number> =>
    make('dcim/cables', {
      a_terminations: [{ object_type: 'dcim.powerport', object_id: port }],
      b_terminations: [{ object_type: 'dcim.poweroutlet', object_id: outlet }],
    });
  const rendered = async (api: TestInventory['api'], device: number): Promise<string> => {
    const { status, body } = await api.post<{ content: string }>(`/api/dcim/devices/${device}/render-config/`, {
      json: {},
    });
    expect([status, body]).toEqual([200, body]);
    return body.content;
  };
  /**
   * Creates a device that distributes power. The device has a power port, and an outlet on leg A that the power port
   * supplies.
   */
  const distributor = async (name: string): Promise<{ device: number; port: number; outlet: number }> => {
    const device = await make('dcim/devices', { ...basics, name });
    const port = await make('dcim/power-ports', { device, name: 'in' });
    return {
      device,
      port,
      outlet: await make('dcim/power-outlets', { device, name: 'out', power_port: port, feed_leg: 'A' }),
    };
  };

  beforeAll(async () => {
    test = await startInventory();
    const manufacturer = await make('dcim/manufacturers', { name: 'Acme', slug: 'acme' });
    basics['device_type'] = await make('dcim/device-types', { manufacturer, model: 'PDU', slug: 'pdu' });
    basics['role'] = await make('dcim/device-roles', { name: 'Power', slug: 'power' });
    basics['site'] = await make('dcim/sites', { name: 'Here', slug: 'here' });
    basics['config_template'] = await make('extras/config-templates', { name: 'draws', template_code: code });
  });
  afterAll(() => test.close());

  it('cause no endless recursion when power ports form a ring', async () => {
    const [one, other] = [await distributor('one'), await distributor('other')];
    await connect(one.port, other.outlet);
    await connect(other.port, one.outlet);
    expect(await rendered(test.api, one.device)).toBe(
      `{'allocated': 0, 'maximum': 0, 'outlet_count': 1, 'legs': []} <RestrictedQuerySet [<PowerPort: in>]> other/in`,
    );
  });

  it('omit power ports and outlets that the user may not view', async () => {
    const [pdu, server] = [await distributor('pdu'), await make('dcim/devices', { ...basics, name: 'server' })];
    const supply = await make('dcim/power-ports', {
      device: server,
      name: 'psu',
      allocated_draw: 30,
      maximum_draw: 40,
    });
    await connect(supply, pdu.outlet);
    expect(await rendered(test.api, pdu.device)).toBe(
      `{'allocated': 30, 'maximum': 40, 'outlet_count': 1, 'legs': []} <RestrictedQuerySet [<PowerPort: psu>]> server/psu`,
    );
    const device = { types: ['dcim.device'], actions: ['view', 'render_config'], constraints: null } as const;
    const port = { types: ['dcim.powerport'], actions: ['view'], constraints: { id: pdu.port } } as const;
    const outlets = { types: ['dcim.poweroutlet'], actions: ['view'], constraints: null } as const;
    const { api } = await permittedUser(test, device, port, outlets);
    expect(await rendered(api, pdu.device)).toBe(
      `{'allocated': 0, 'maximum': 0, 'outlet_count': 1, 'legs': []} <RestrictedQuerySet []>`,
    );
    const blind = await permittedUser(test, device, { ...port, constraints: null });
    expect(await rendered(blind.api, pdu.device)).toContain(`'outlet_count': 0`);
  });
});
