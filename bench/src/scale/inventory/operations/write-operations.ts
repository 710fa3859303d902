import type { MeasuredOperation } from '../../measured-operation.js';
import type { MeasuredInventoryService } from '../measured-inventory-service.js';

const listConsecutiveObjectIds = (first: number, count: number): { id: number }[] =>
  Array.from({ length: count }, (_, at) => ({ id: first + at }));

/** Returns a measured operation that creates a new object in each run. */
function createObjectCreationOperation(
  name: string,
  path: string,
  body: (n: number) => unknown,
  clients = 1,
): MeasuredOperation<MeasuredInventoryService> {
  let created = 0;
  return {
    name,
    run: async (world) => {
      const create = (): Promise<unknown> => {
        created += 1;
        return world.sendRequest('POST', path, body(created));
      };
      await Promise.all(Array.from({ length: clients }, create));
    },
  };
}

const createSiteBodyFunction = (name: string) => (n: number) => ({ name: `${name} ${n}`, slug: `${name}-${n}` });
const createDeviceBodyFunction = (name: string) => (n: number) => ({
  name: `${name}-${n}`,
  device_type: 1,
  role: 1,
  site: 1,
});

/** Returns a measured operation that sends one write request in a single run. */
function createSingleWriteOperation(
  name: string,
  work: (world: MeasuredInventoryService) => Promise<unknown>,
): MeasuredOperation<MeasuredInventoryService> {
  return {
    name,
    runs: 1,
    run: async (world) => {
      await work(world);
    },
  };
}

let parentPrefixId = 0;
let addedCustomFieldId = 0;

/**
 * Measured operations that write single objects, many objects, or objects on which very many rows depend. Later
 * operations depend on earlier ones.
 */
export const inventoryWriteOperations: readonly MeasuredOperation<MeasuredInventoryService>[] = [
  createObjectCreationOperation('create a site', 'dcim/sites/', createSiteBodyFunction('made')),
  createObjectCreationOperation('create a device', 'dcim/devices/', createDeviceBodyFunction('made')),
  createObjectCreationOperation('create a tag', 'extras/tags/', createSiteBodyFunction('made')),
  createObjectCreationOperation('create an address', 'ipam/ip-addresses/', (n) => ({
    address: `10.250.${n >> 8}.${n & 255}/32`,
    vrf: 1,
  })),
  createObjectCreationOperation('create a prefix among a million', 'ipam/prefixes/', (n) => ({
    prefix: `10.0.0.${(n * 4) % 256}/30`,
    vrf: 2,
  })),
  createObjectCreationOperation(
    'create sites, four clients at once',
    'dcim/sites/',
    createSiteBodyFunction('at-once'),
    4,
  ),
  createObjectCreationOperation('allocate an address of a /24', 'ipam/prefixes/2/available-ips/', () => ({})),
  {
    name: 'change a device',
    run: async (world, run) => {
      await world.sendRequest('PATCH', 'dcim/devices/77/', { description: `changed ${run}` });
    },
  },
  {
    name: 'change 1,000 devices in one request',
    runs: 4,
    run: async (world, run) => {
      const changes = listConsecutiveObjectIds(1, Math.min(1000, world.amounts.size.devices / 10));
      await world.sendRequest(
        'PATCH',
        'dcim/devices/',
        changes.map((each) => ({ ...each, description: `bulk ${run}` })),
      );
    },
  },
  {
    name: 'change 10,000 devices in one request',
    runs: 3,
    run: async (world, run) => {
      const changes = listConsecutiveObjectIds(1, Math.min(10_000, world.amounts.size.devices / 10));
      await world.sendRequest(
        'PATCH',
        'dcim/devices/',
        changes.map((each) => ({ ...each, description: `bulk ${run}` })),
      );
    },
  },
  createSingleWriteOperation('change 3 % of 1,000,000 devices in one request', (world) => {
    const changes = listConsecutiveObjectIds(1, world.amounts.size.devices * 0.03);
    return world.sendRequest(
      'PATCH',
      'dcim/devices/',
      changes.map((each) => ({ ...each, description: 'bulk' })),
      [400],
    );
  }),
  createSingleWriteOperation('create a prefix that covers all others', async (world) => {
    parentPrefixId = await world.createObject('ipam/prefixes/', { prefix: '10.0.0.0/8', vrf: 1 });
  }),
  createSingleWriteOperation('move a prefix that covers all others', (world) =>
    world.sendRequest('PATCH', `ipam/prefixes/${parentPrefixId}/`, { prefix: '11.0.0.0/8' }),
  ),
  createSingleWriteOperation('move a prefix above all others', (world) =>
    world.sendRequest('PATCH', `ipam/prefixes/${parentPrefixId}/`, { prefix: '10.0.0.0/8' }),
  ),
  createSingleWriteOperation('delete a prefix that covers all others', (world) =>
    world.sendRequest('DELETE', `ipam/prefixes/${parentPrefixId}/`),
  ),
  createSingleWriteOperation('create a custom field with a default', async (world) => {
    const field = { name: 'made', type: 'text', object_types: ['dcim.device'], default: 'none', required: false };
    addedCustomFieldId = await world.createObject('extras/custom-fields/', field);
  }),
  createSingleWriteOperation('rename a custom field', (world) =>
    world.sendRequest('PATCH', `extras/custom-fields/${addedCustomFieldId}/`, { name: 'renamed' }),
  ),
  createSingleWriteOperation('delete a custom field', (world) =>
    world.sendRequest('DELETE', `extras/custom-fields/${addedCustomFieldId}/`),
  ),
  createSingleWriteOperation('delete a device of ten interfaces', (world) =>
    world.sendRequest('DELETE', `dcim/devices/${world.amounts.fullDevices}/`),
  ),
  createSingleWriteOperation('delete a hundredth of the devices with their interfaces', (world) =>
    world.sendRequest('DELETE', 'dcim/devices/', listConsecutiveObjectIds(1, world.amounts.fullDevices - 1)),
  ),
  // The request is rejected if its limit of objects is too low.
  createSingleWriteOperation('delete a platform of a tenth of the devices', (world) =>
    world.sendRequest('DELETE', 'dcim/platforms/1/', undefined, [400]),
  ),
];
