import type { InventoryChange } from '../changes/topic.js';

/**
 * The default body of a delivery, and what templates read, as JSON text: the keys of inventory.md section 6 and
 * `request`, in the order of inventory-contract 5.3. `request` is absent for a change outside a request.
 */
export function eventContext(change: InventoryChange): string {
  return JSON.stringify({
    event: change.event,
    timestamp: change.timestamp,
    object_type: change.model,
    username: change.username,
    request_id: change.requestId,
    data: change.data,
    ...(change.request === null ? {} : { request: change.request }),
    snapshots: change.snapshots,
  });
}
