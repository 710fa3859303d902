import type { ScaleTestedService } from '../scale-app.js';
import { inventoryOperationLimits } from './inventory-figures.js';
import { availableObjectOperations, deviceRenameOperations } from './operations/bulk-operations.js';
import { cableOperations } from './operations/cable-operations.js';
import { templateExportOperations } from './operations/export-operations.js';
import { largePageOperations } from './operations/large-page-operations.js';
import { inventoryListOperations } from './operations/list-operations.js';
import { retentionDeletionOperations } from './operations/retention-operations.js';
import { webhookDeliveryOperations } from './operations/webhook-operations.js';
import { inventoryWriteOperations } from './operations/write-operations.js';
import { GeneratedInventoryObjectCounts, generatedInventorySizes } from './inventory-sizes.js';
import {
  inventoryDatabaseFillVersion,
  inventoryTableCompletionStatements,
  createInventoryTables,
} from './generated-inventory-tables.js';
import { MeasuredInventoryService } from './measured-inventory-service.js';

/** Scale test (`test:scale`) of the inventory service, with 1,000, 100,000 or 1,000,000 objects of each large model. */
export const inventoryScaleTest: ScaleTestedService<MeasuredInventoryService> = {
  name: 'inventory',
  // Change records are removed only by the operation that measures their removal. At the large size, deleting one
  // percent of the devices deletes 190,000 objects. Responses are not cached, because most repetitions of a read would
  // be served from memory; `npm run bench -- inventory-pages` measures cached responses.
  env: {
    CHANGELOG_RETENTION: '0',
    DELETION_OBJECTS_MAX: '200000',
    RESPONSE_MEMORY_BYTES: '0',
    WEBHOOK_ALLOW_LOOPBACK: 'true',
  },
  fillVersion: inventoryDatabaseFillVersion,
  preparation: [['create-superuser', 'scale', '--password', 'Benchmark-password-1']],
  fill: (_client, size) =>
    Promise.resolve({
      tables: createInventoryTables(new GeneratedInventoryObjectCounts(generatedInventorySizes[size])),
      completion: inventoryTableCompletionStatements,
    }),
  beforeStart: [],
  open: (deployment, size) => MeasuredInventoryService.openForDeployment(deployment, size),
  bystander: (world) => world.createRepeatedSiteChangeRequest(),
  operations: [
    ...inventoryListOperations,
    ...templateExportOperations,
    ...inventoryWriteOperations,
    // These operations use the prefixes in which later writes allocate.
    ...availableObjectOperations,
    ...webhookDeliveryOperations,
    ...deviceRenameOperations,
    ...cableOperations,
    ...retentionDeletionOperations,
    ...largePageOperations,
  ],
  figures: inventoryOperationLimits,
};
