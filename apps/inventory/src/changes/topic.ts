import { defineTopic } from '@switchboard/queue';
import { z } from 'zod';

const jsonObject = z.record(z.string(), z.unknown()).meta({ json: true });

/**
 * One changed object, as committed (docs/contract/inventory.md 5.3).
 *
 * `data` is the full REST representation with path-only URLs; `snapshots` are in change-log form
 * (docs/contract/inventory.md 4): related objects as ids, raw choice values, tags as sorted names.
 */
const inventoryChange = z.object({
  /** `<app>.<model>` */
  model: z.string(),
  id: z.int(),
  event: z.enum(['created', 'updated', 'deleted']),
  /** ISO 8601 in UTC with microseconds and `+00:00`. */
  timestamp: z.string(),
  requestId: z.string().nullable(),
  username: z.string(),
  request: z.object({ id: z.string(), method: z.string(), path: z.string(), user: z.string() }).nullable(),
  data: jsonObject,
  snapshots: z.object({ prechange: jsonObject.nullable(), postchange: jsonObject.nullable() }),
});

/** See {@link inventoryChange}. */
export type InventoryChange = z.infer<typeof inventoryChange>;

/** Outbox message type of committed changes that event rules can match, in order per object. */
export const inventoryChanges = defineTopic({
  name: 'inventory.changes',
  version: 1,
  payload: inventoryChange,
  order: 'key',
  // Each change is of a row that its transaction has inserted, updated, deleted or locked.
  writerLocksKey: true,
});
