import type { MeasuredOperation } from '../../measured-operation.js';
import type { MeasuredInventoryService } from '../measured-inventory-service.js';

/**
 * Length in characters of the comment that the benchmark stores in each device. 1,000 devices with such comments exceed
 * 512 MB.
 */
const deviceCommentLength = 600_000;
const objectsPerLargePage = 1000;

/**
 * Measured operations that request very large pages. The remark in the results is the error message or the length of
 * the response.
 */
export const largePageOperations: readonly MeasuredOperation<MeasuredInventoryService>[] = [
  {
    name: 'page of 1,000 devices of more than 512 MB',
    runs: 1,
    before: async ({ amounts, deployment }) => {
      await deployment.database.query('UPDATE dcim_device SET comments = $1 WHERE id > $2 AND id <= $2 + $3', [
        'word '.repeat(deviceCommentLength / 5),
        amounts.fullDevices,
        objectsPerLargePage,
      ]);
    },
    run: async (world) => {
      const path = `dcim/devices/?limit=${objectsPerLargePage}&ordering=id&id__gt=${world.amounts.fullDevices}`;
      const { status, bytes } = await world.measureResponse(path);
      if (status !== 200 && status !== 400) throw new Error(`GET ${path}: ${status}`);
      return `${status}, ${(bytes / 1e6).toFixed(1)} MB`;
    },
  },
];
