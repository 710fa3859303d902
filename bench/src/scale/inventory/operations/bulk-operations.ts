import type { MeasuredOperation } from '../../measured-operation.js';
import type { MeasuredInventoryService } from '../measured-inventory-service.js';

const interfacesPerRenamedDevice = 48;

/**
 * Returns the id range of the devices that the bulk operations change. These ids follow the ids of the devices with ten
 * interfaces each.
 */
const getChangedDeviceIdRange = ({ amounts }: MeasuredInventoryService): { first: number; count: number } => ({
  first: amounts.fullDevices + 1,
  count: amounts.size.devices / 100,
});

/** Measured operations that rename many devices, which also changes their interfaces. */
export const deviceRenameOperations: readonly MeasuredOperation<MeasuredInventoryService>[] = [
  {
    name: 'rename a hundredth of the devices, of 48 interfaces each',
    runs: 1,
    before: async (world) => {
      const { first, count } = getChangedDeviceIdRange(world);
      const { database } = world.deployment;
      await database.query('BEGIN');
      await database.query('SET LOCAL session_replication_role = replica');
      await database.query(
        `INSERT INTO dcim_interface (device_id, _device_name, name, _order, type)
          SELECT d.id, d.name, 'port' || n, 'port' || n, '1000base-t'
          FROM dcim_device d, generate_series(1, $3::int) n WHERE d.id BETWEEN $1 AND $2`,
        [first, first + count - 1, interfacesPerRenamedDevice],
      );
      await database.query('COMMIT');
      await database.query('ANALYZE dcim_interface');
    },
    run: async (world) => {
      const { first, count } = getChangedDeviceIdRange(world);
      const changes = Array.from({ length: count }, (_, n) => ({ id: first + n, name: `renamed-${first + n}` }));
      await world.sendRequest('PATCH', 'dcim/devices/', changes);
    },
  },
];

let parentPrefixId = 0;
let parentVlanGroupId = 0;

/**
 * Measured operations that list or allocate available prefixes, IP addresses and VLANs in parent objects with many
 * children.
 */
export const availableObjectOperations: readonly MeasuredOperation<MeasuredInventoryService>[] = [
  {
    name: 'available prefixes of a /8 with all prefixes',
    before: async (world, run) => {
      if (run > 0) return;
      parentPrefixId = await world.createObject('ipam/prefixes/', { prefix: '10.0.0.0/8', vrf: 1 });
    },
    run: async (world) => {
      await world.sendRequest('GET', `ipam/prefixes/${parentPrefixId}/available-prefixes/`);
    },
  },
  {
    name: 'allocate a /30 of a /8 with all prefixes',
    run: async (world) => {
      await world.sendRequest('POST', `ipam/prefixes/${parentPrefixId}/available-prefixes/`, { prefix_length: 30 });
    },
  },
  {
    name: 'available addresses of a /8 with all addresses',
    run: async (world) => {
      await world.sendRequest('GET', `ipam/prefixes/${parentPrefixId}/available-ips/`);
    },
  },
  {
    name: 'allocate an address of a /8 with all addresses',
    run: async (world) => {
      await world.sendRequest('POST', `ipam/prefixes/${parentPrefixId}/available-ips/`, {});
    },
  },
  {
    name: 'allocate 1,000 addresses of a /8 with all addresses',
    runs: 3,
    run: async (world) => {
      await world.sendRequest('POST', `ipam/prefixes/${parentPrefixId}/available-ips/`, Array(1000).fill({}));
    },
  },
  {
    name: 'available VLANs of a group of 4,000',
    before: async (world, run) => {
      if (run > 0) return;
      parentVlanGroupId = await world.createObject('ipam/vlan-groups/', { name: 'scale', slug: 'scale' });
      await world.deployment.database.query(
        `INSERT INTO ipam_vlan (vid, name, group_id) SELECT n, 'vlan-' || n, $1 FROM generate_series(1, 4000) n`,
        [parentVlanGroupId],
      );
    },
    run: async (world) => {
      await world.sendRequest('GET', `ipam/vlan-groups/${parentVlanGroupId}/available-vlans/`);
    },
  },
  {
    name: 'allocate a VLAN of a group of 4,000',
    runs: 20,
    run: async (world, run) => {
      await world.sendRequest('POST', `ipam/vlan-groups/${parentVlanGroupId}/available-vlans/`, {
        name: `allocated ${run}`,
      });
    },
  },
];
