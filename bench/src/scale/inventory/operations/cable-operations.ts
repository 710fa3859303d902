import type { MeasuredOperation } from '../../measured-operation.js';
import type { MeasuredInventoryService } from '../measured-inventory-service.js';

const interfacesPerCabledDevice = 10;
/** Number of devices with cabled interfaces at the middle and the large size. Their cables are 10,000. */
const maxCabledDeviceCount = 2_000;

let deviceIds: readonly number[] = [];
let interfaceIds: readonly number[] = [];
let cableIds: readonly number[] = [];

/** Creates devices with interfaces that the measured operations connect. The generated data has no cables. */
async function createDevicesToConnect({ amounts, deployment }: MeasuredInventoryService): Promise<void> {
  const count = Math.min(maxCabledDeviceCount, amounts.size.devices / 10);
  const { database } = deployment;
  const devices = await database.query<{ id: number }>(
    `INSERT INTO dcim_device (name, device_type_id, role_id, site_id)
      SELECT 'cabled-' || n, 1, 1, 1 FROM generate_series(1, $1::int) n RETURNING id::int`,
    [count],
  );
  deviceIds = devices.rows.map(({ id }) => id);
  const interfaces = await database.query<{ id: number }>(
    `INSERT INTO dcim_interface (device_id, _device_name, name, _order, type)
      SELECT d.id, d.name, 'port' || n, 'port' || n, '1000base-t'
      FROM dcim_device d, generate_series(1, $2::int) n WHERE d.id = ANY ($1::bigint[]) RETURNING id::int`,
    [deviceIds, interfacesPerCabledDevice],
  );
  interfaceIds = interfaces.rows.map(({ id }) => id);
  await database.query('ANALYZE dcim_device, dcim_interface');
}

const endAt = (index: number): unknown[] => [{ object_type: 'dcim.interface', object_id: interfaceIds[index] }];

/** Measured operations that write the largest list of cables, and delete the devices that the cables connect. */
export const cableOperations: readonly MeasuredOperation<MeasuredInventoryService>[] = [
  {
    name: 'create 10,000 cables in one request',
    runs: 1,
    before: createDevicesToConnect,
    run: async (world) => {
      const cables = Array.from({ length: interfaceIds.length / 2 }, (_, n) => ({
        a_terminations: endAt(2 * n),
        b_terminations: endAt(2 * n + 1),
      }));
      const response = JSON.parse(await world.sendRequest('POST', 'dcim/cables/', cables)) as { id: number }[];
      cableIds = response.map(({ id }) => id);
    },
  },
  {
    name: 'change 10,000 cables in one request',
    runs: 1,
    run: async (world) => {
      await world.sendRequest(
        'PATCH',
        'dcim/cables/',
        cableIds.map((id) => ({ id, status: 'planned' })),
      );
    },
  },
  {
    name: 'move an end of 10,000 cables in one request',
    runs: 1,
    run: async (world) => {
      // Each pair of neighbouring cables exchanges ends.
      const changes = cableIds.map((id, n) => ({ id, b_terminations: endAt(2 * (n ^ 1) + 1) }));
      await world.sendRequest('PATCH', 'dcim/cables/', changes);
    },
  },
  {
    name: 'delete 2,000 devices with 20,000 cabled interfaces',
    runs: 1,
    run: async (world) => {
      await world.sendRequest(
        'DELETE',
        'dcim/devices/',
        deviceIds.map((id) => ({ id })),
      );
    },
  },
];
