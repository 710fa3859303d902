import { defineOutboxMessage } from '@switchboard/queue';
import { z } from 'zod';

const jsonObject = z.record(z.string(), z.unknown()).meta({ json: true });

/**
 * Payload of the event of one committed change (docs/contract/inventory.md 5.3).
 *
 * `data` is the object as in responses, with URLs without scheme and host. `snapshots` have the form of change records
 * (docs/contract/inventory.md 4): related objects as ids, choices as values, tags as sorted names.
 */
const inventoryChange = z.object({
  /** Model of the object, as `<app>.<model>`. */
  model: z.string(),
  id: z.int(),
  event: z.enum(['created', 'updated', 'deleted']),
  /** Time of the change in UTC, in ISO 8601 with microseconds and `+00:00`. */
  timestamp: z.string(),
  requestId: z.string().nullable(),
  username: z.string(),
  request: z.object({ id: z.string(), method: z.string(), path: z.string(), user: z.string() }).nullable(),
  data: jsonObject,
  snapshots: z.object({ prechange: jsonObject.nullable(), postchange: jsonObject.nullable() }),
});

/** Payload of the outbox message about one committed change of an object. */
export type InventoryChange = z.infer<typeof inventoryChange>;

/**
 * Outbox message type of committed object changes. Their handler runs the matching event rules. Messages about one
 * object are dispatched in order.
 */
export const inventoryChanges = defineOutboxMessage({
  name: 'inventory.changes',
  version: 1,
  payload: inventoryChange,
  order: 'key',
  // A transaction has inserted, updated, deleted or locked the row of each change that it emits.
  writerLocksKey: true,
});
