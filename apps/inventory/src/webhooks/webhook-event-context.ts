import { type InventoryChange, type JobEventName, jobEventNames } from '../changes/inventory-change-message.js';

/**
 * Returns the time of the change from the start of a delivery's event context, in milliseconds since the epoch. Returns
 * null if the context contains no time.
 */
export function getChangeTimeMs(context: string): number | null {
  const time = /^\{"event":"[a-z_]*","timestamp":"([^"]*)"/.exec(context)?.[1];
  const atMs = time === undefined ? Number.NaN : Date.parse(time);
  return Number.isNaN(atMs) ? null : atMs;
}

/**
 * Returns the context of an event as JSON text. The context is the default body of a webhook delivery and the input of
 * its templates. The context has the keys of inventory-6-4 and the key `request`, in the order of
 * docs/contract/inventory.md 5.3. `request` is absent for a change made outside a request. Events of jobs have neither
 * `request` nor `snapshots`.
 */
export function createEventContext(change: InventoryChange): string {
  return JSON.stringify({
    event: getEventName(change),
    timestamp: change.timestamp,
    object_type: change.model,
    username: change.username,
    request_id: change.requestId,
    data: change.data,
    ...(change.request === null ? {} : { request: change.request }),
    ...(isJobEventName(change.event) ? {} : { snapshots: change.snapshots }),
  });
}

/** Returns true if an event is about a background job. */
export function isJobEventName(event: InventoryChange['event']): event is JobEventName {
  return jobEventNames.some((one) => one === event);
}

/**
 * Returns the name of an event as shown in payloads and deliveries. All events that end a job have the same name, as in
 * the reference API.
 */
export function getEventName({ event }: InventoryChange): string {
  return isJobEventName(event) && event !== 'job_started' ? 'job_ended' : event;
}
