import fc from 'fast-check';
import { expect } from 'vitest';
import type { InProcessApiClient } from '@switchboard/testing';
import type { Shown } from './read-test-network.js';

/** Ids of objects that every random network uses, such as the id of the device type. */
export interface Surroundings {
  readonly deviceType: number;
  readonly role: number;
  readonly sites: readonly number[];
  readonly region: number;
  readonly networks: readonly number[];
  readonly provider: number;
  readonly circuitType: number;
  readonly powerPanel: number;
  readonly moduleType: number;
}

/** Shape of a random network without its cables: its panels, interfaces, circuits and other objects. */
export interface Shape {
  readonly panels: readonly {
    /** Numbers of positions of the rear ports of the panel: one number for each rear port. */
    readonly rears: readonly number[];
    /**
     * Numbers for the positions of each front port of the panel. Each number selects an unmapped position of a rear
     * port, to which the front port's position is mapped.
     */
    readonly fronts: readonly (readonly number[])[];
  }[];
  readonly interfaces: number;
  /** One value for each circuit: true if the circuit has terminations on both sides. */
  readonly circuits: readonly boolean[];
}

const front = fc.oneof(
  { weight: 4, arbitrary: fc.array(fc.nat(7), { minLength: 1, maxLength: 1 }) },
  { weight: 1, arbitrary: fc.array(fc.nat(7), { minLength: 2, maxLength: 2 }) },
);
const panel = fc.record({
  rears: fc.array(fc.constantFrom(1, 1, 2, 2, 4), { minLength: 1, maxLength: 3 }),
  fronts: fc.array(front, { minLength: 1, maxLength: 5 }),
});

/** Generates random shapes of networks without cables. */
export const shapes: fc.Arbitrary<Shape> = fc.record({
  panels: fc.array(panel, { minLength: 2, maxLength: 4 }),
  interfaces: fc.integer({ min: 4, max: 12 }),
  circuits: fc.array(fc.boolean(), { maxLength: 3 }),
});

/** Creates one object or a list of objects. Returns the ids of the created objects. */
export async function make(api: InProcessApiClient, path: string, json: object | readonly object[]): Promise<number[]> {
  if (Array.isArray(json) && json.length === 0) return [];
  const { status, body, text } = await api.post<Shown | readonly Shown[]>(`/api/${path}/`, { json });
  expect([path, status, status === 201 ? '' : text]).toEqual([path, 201, '']);
  return [body].flat().map(({ id }) => id);
}

/** Creates the objects that every random network uses. */
export async function makeSurroundings(api: InProcessApiClient): Promise<Surroundings> {
  const one = async (path: string, json: object): Promise<number> => (await make(api, path, json))[0] ?? 0;
  const manufacturer = await one('dcim/manufacturers', { name: 'Acme', slug: 'acme' });
  const moduleType = await one('dcim/module-types', { manufacturer, model: 'Cassette' });
  const ports = { module_type: moduleType, type: 'lc' };
  const rear = await one('dcim/rear-port-templates', { ...ports, name: 'rear', positions: 2 });
  const mapped = (position: number): object[] => [{ position: 1, rear_port: rear, rear_port_position: position }];
  await make(
    api,
    'dcim/front-port-templates',
    [1, 2].map((position) => ({ ...ports, name: `front ${position}`, rear_ports: mapped(position) })),
  );
  await make(api, 'dcim/interface-templates', { module_type: moduleType, name: 'uplink', type: '1000base-t' });
  const sites = await make(api, 'dcim/sites', [
    { name: 'Here', slug: 'here' },
    { name: 'There', slug: 'there' },
  ]);
  const provider = await one('circuits/providers', { name: 'Carrier', slug: 'carrier' });
  return {
    moduleType,
    sites,
    provider,
    deviceType: await one('dcim/device-types', { manufacturer, model: 'Box', slug: 'box' }),
    role: await one('dcim/device-roles', { name: 'Any', slug: 'any' }),
    region: await one('dcim/regions', { name: 'North', slug: 'north' }),
    networks: await make(
      api,
      'circuits/provider-networks',
      ['Core', 'Edge'].map((name) => ({ provider, name })),
    ),
    circuitType: await one('circuits/circuit-types', { name: 'Dark', slug: 'dark' }),
    powerPanel: await one('dcim/power-panels', { site: sites[0], name: 'Power' }),
  };
}

/** Creates the devices, ports, circuits and power feeds of a random network with the given shape. */
export async function buildNetwork(api: InProcessApiClient, base: Surroundings, shape: Shape): Promise<void> {
  const names = ['one', 'two', 'pdu', 'chassis', ...shape.panels.map((_, index) => `panel ${index}`)];
  const common = { device_type: base.deviceType, role: base.role, site: base.sites[0] };
  const devices = await make(
    api,
    'dcim/devices',
    names.map((name) => ({ ...common, name })),
  );
  const [one, two, pdu, chassis, ...panels] = devices;
  const interfaces = Array.from({ length: shape.interfaces }, (_, index) => ({
    device: index % 2 === 0 ? one : two,
    name: `eth${index}`,
    type: '1000base-t',
  }));
  const radios = ['r0', 'r1', 'r2'].map((name, index) => ({
    device: index % 2 === 0 ? one : two,
    name,
    type: 'ieee802.11ax',
  }));
  await make(api, 'dcim/interfaces', [...interfaces, ...radios]);
  await make(
    api,
    'dcim/console-ports',
    ['con0', 'con1'].map((name) => ({ device: one, name })),
  );
  await make(api, 'dcim/console-server-ports', { device: two, name: 'tty0' });
  const inlets = await make(api, 'dcim/power-ports', [
    { device: pdu, name: 'inlet' },
    { device: one, name: 'psu0' },
    { device: one, name: 'psu1' },
  ]);
  await make(
    api,
    'dcim/power-outlets',
    ['out0', 'out1'].map((name) => ({ device: pdu, name, power_port: inlets[0] })),
  );
  await make(api, 'dcim/power-feeds', { power_panel: base.powerPanel, name: 'feed' });
  await make(api, 'dcim/module-bays', { device: chassis, name: 'bay' });
  await buildPanels(api, shape, panels);
  const circuits = await make(
    api,
    'circuits/circuits',
    shape.circuits.map((_, index) => ({ cid: `C${index}`, provider: base.provider, type: base.circuitType })),
  );
  await make(
    api,
    'circuits/circuit-terminations',
    circuits.flatMap((circuit, index) =>
      (shape.circuits[index] === true ? ['A', 'Z'] : ['A']).map((side) => ({
        circuit,
        term_side: side,
        termination_type: 'dcim.site',
        termination_id: base.sites[side === 'A' ? 0 : 1],
      })),
    ),
  );
}

async function buildPanels(api: InProcessApiClient, { panels }: Shape, devices: readonly number[]): Promise<void> {
  const rearsOf = panels.map(({ rears }, index) =>
    rears.map((positions, port) => ({ device: devices[index], name: `rear ${port}`, type: 'lc', positions })),
  );
  const ids = await make(api, 'dcim/rear-ports', rearsOf.flat());
  let next = 0;
  const fronts = panels.flatMap(({ rears, fronts: wanted }, index) => {
    const free = rears.flatMap((positions) => {
      const id = ids[next];
      next += 1;
      return Array.from({ length: positions }, (_, position) => ({ rear_port: id, rear_port_position: position + 1 }));
    });
    return wanted.map((picks, port) => ({
      device: devices[index],
      name: `front ${port}`,
      type: 'lc',
      positions: picks.length,
      rear_ports: picks.flatMap((pick, position) =>
        free.splice(pick % Math.max(free.length, 1), 1).map((mapped) => ({ ...mapped, position: position + 1 })),
      ),
    }));
  });
  await make(api, 'dcim/front-ports', fronts);
}
