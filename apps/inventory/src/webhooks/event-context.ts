import type { InventoryChange } from '../changes/topic.js';

/** Returns the time of the change of a delivery in milliseconds since 1970, from the start of its context. */
export function changedAtMs(context: string): number | null {
  const time = /^\{"event":"[a-z_]*","timestamp":"([^"]*)"/.exec(context)?.[1];
  const atMs = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(atMs) ? null : atMs;
}

/**
 * The default body of a delivery, and what templates read, as JSON text: the keys of inventory-6-4 and
 * `request`, in the order of docs/contract/inventory.md 5.3. `request` is absent for a change outside a request.
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
