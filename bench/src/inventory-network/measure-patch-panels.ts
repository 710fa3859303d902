import type { InventoryNetworkClient } from './network-client.js';

/**
 * Builds two panels whose rear ports are connected by a trunk cable. Maps and cables all front ports, and reads all
 * paths over the trunk. Returns the duration in milliseconds.
 *
 * @throws Error if not all paths are complete
 */
export async function measurePatchPanelMs(client: InventoryNetworkClient, ports: number): Promise<number> {
  const [hosts, left, right] = [
    await client.createInterfacesOnNewDevice(2 * ports),
    await client.createPatchPanelDevice(),
    await client.createPatchPanelDevice(),
  ];
  const started = performance.now();
  const sides: { readonly rear: number; readonly fronts: readonly number[] }[] = [];
  for (const device of [left, right]) {
    const rear = await client.createObject('rear-ports', { device, name: 'trunk', type: 'lc', positions: ports });
    const bodies = Array.from({ length: ports }, (_, n) => ({
      device,
      name: `front ${n}`,
      type: 'lc',
      rear_ports: [{ position: 1, rear_port: rear, rear_port_position: n + 1 }],
    }));
    const made = (await client.sendJsonRequest('POST', 'front-ports', bodies, 201)) as { id: number }[];
    sides.push({ rear, fronts: made.map(({ id }) => id) });
  }
  const end = (model: string, id: number | undefined): object[] => [{ object_type: `dcim.${model}`, object_id: id }];
  await client.createObject('cables', {
    a_terminations: end('rearport', sides[0]?.rear),
    b_terminations: end('rearport', sides[1]?.rear),
  });
  const patches = sides.flatMap(({ fronts }, side) =>
    fronts.map((front, n) => ({
      a_terminations: end('interface', hosts[side * ports + n]),
      b_terminations: end('frontport', front),
    })),
  );
  await client.sendJsonRequest('POST', 'cables', patches, 201);
  const paths = (await client.sendJsonRequest('GET', `rear-ports/${sides[0]?.rear}/paths`, null, 200)) as {
    is_complete: boolean;
  }[];
  const complete = paths.filter(({ is_complete: isComplete }) => isComplete).length;
  if (complete !== 2 * ports) throw new Error(`${complete} of ${2 * ports} paths are complete`);
  return performance.now() - started;
}

/**
 * Creates a path between two interfaces, which consists of cables and of ports with one position. Returns the id of the
 * first interface.
 */
export async function createPathWithManyCables(client: InventoryNetworkClient, hops: number): Promise<number> {
  const [first, last] = await client.createInterfacesOnNewDevice(2);
  let near = { object_type: 'dcim.interface', object_id: first };
  for (let hop = 1; hop < hops; hop += 1) {
    const device = await client.createPatchPanelDevice();
    const rear = await client.createObject('rear-ports', { device, name: 'rear', type: 'lc' });
    const rear_ports = [{ position: 1, rear_port: rear, rear_port_position: 1 }];
    const front = await client.createObject('front-ports', { device, name: 'front', type: 'lc', rear_ports });
    const sides = [
      { object_type: 'dcim.frontport', object_id: front },
      { object_type: 'dcim.rearport', object_id: rear },
    ] as const;
    const [entered, left] = hop % 2 === 1 ? sides : [sides[1], sides[0]];
    await client.createObject('cables', { a_terminations: [near], b_terminations: [entered] });
    near = left;
  }
  await client.createObject('cables', {
    a_terminations: [near],
    b_terminations: [{ object_type: 'dcim.interface', object_id: last }],
  });
  return first ?? 0;
}
