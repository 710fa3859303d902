import type { MeasuredOperation } from '../../measured-operation.js';
import type { MeasuredInventoryService } from '../measured-inventory-service.js';

const exportedRowCount = 10_000;

/** Measured operations that export a list of objects through an export template. */
export const templateExportOperations: readonly MeasuredOperation<MeasuredInventoryService>[] = [
  {
    name: 'export: 10,000 devices by a template',
    runs: 3,
    before: async (world, run) => {
      if (run > 0) return;
      const code = '{% for device in queryset %}{{ device.name }}\n{% endfor %}';
      await world.sendRequest('POST', 'extras/export-templates/', {
        name: 'scale',
        object_types: ['dcim.device'],
        template_code: code,
      });
    },
    run: async (world) => {
      await world.sendRequest('GET', `dcim/devices/?export=scale&id__lte=${exportedRowCount}`);
    },
  },
];
