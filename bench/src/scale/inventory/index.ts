import type { ScaleApp } from '../scale-app.js';
import { inventoryFigures } from './inventory-figures.js';
import { availableOperations, renameOperations } from './operations/bulk-operations.js';
import { exportOperations } from './operations/export-operations.js';
import { largePageOperations } from './operations/large-page-operations.js';
import { listOperations } from './operations/list-operations.js';
import { retentionOperations } from './operations/retention-operations.js';
import { webhookOperations } from './operations/webhook-operations.js';
import { writeOperations } from './operations/write-operations.js';
import { InventoryAmounts, inventorySizes } from './inventory-sizes.js';
import { inventoryFillVersion, inventoryCompletionStatements, inventoryTables } from './generated-inventory-tables.js';
import { MeasuredInventoryService } from './measured-inventory-service.js';

/** Scale test (`test:scale`) of the inventory service, with 1,000, 100,000 or 1,000,000 objects of each large model. */
export const inventoryScale: ScaleApp<MeasuredInventoryService> = {
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
  fillVersion: inventoryFillVersion,
  preparation: [['create-superuser', 'scale', '--password', 'Benchmark-password-1']],
  fill: (_client, size) =>
    Promise.resolve({
      tables: inventoryTables(new InventoryAmounts(inventorySizes[size])),
      completion: inventoryCompletionStatements,
    }),
  beforeStart: [],
  open: (deployment, size) => MeasuredInventoryService.open(deployment, size),
  bystander: (world) => world.repeatedChange(),
  operations: [
    ...listOperations,
    ...exportOperations,
    ...writeOperations,
    // These operations use the prefixes in which later writes allocate.
    ...availableOperations,
    ...webhookOperations,
    ...renameOperations,
    ...retentionOperations,
    ...largePageOperations,
  ],
  figures: inventoryFigures,
};
