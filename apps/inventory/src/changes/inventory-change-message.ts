import { defineOutboxMessage } from '@switchboard/queue';
import { z } from 'zod';

/** Names of the job events, which event rules refer to (docs/contract/inventory.md 5.1). */
export const jobEventNames = ['job_started', 'job_completed', 'job_failed', 'job_errored'] as const;

/** Name of a job event, such as `job_started`. */
export type JobEventName = (typeof jobEventNames)[number];

const jsonObjectSchema = z.record(z.string(), z.unknown()).meta({ json: true });

/**
 * Payload of the event of one committed change, or of a job that began or ended (docs/contract/inventory.md 5.3).
 *
 * `data` is the object as in responses, with URLs without scheme and host. `snapshots` have the form of change records
 * (docs/contract/inventory.md 4): related objects as ids, choices as values, tags as sorted names. For an event of a job,
 * `model` and `id` are those of the job's object, `data` is the job, and there are no snapshots.
 */
const inventoryChangePayloadSchema = z.object({
  /** Model of the changed object, in the form `<app>.<model>`. */
  model: z.string(),
  id: z.int(),
  event: z.enum(['created', 'updated', 'deleted', ...jobEventNames]),
  /** Time of the change in UTC, in ISO 8601 with microseconds and `+00:00`. */
  timestamp: z.string(),
  requestId: z.string().nullable(),
  username: z.string(),
  request: z.object({ id: z.string(), method: z.string(), path: z.string(), user: z.string() }).nullable(),
  data: jsonObjectSchema,
  snapshots: z.object({ prechange: jsonObjectSchema.nullable(), postchange: jsonObjectSchema.nullable() }),
});

/** Payload of the outbox message about one committed change of an object. */
export type InventoryChange = z.infer<typeof inventoryChangePayloadSchema>;

/**
 * Outbox message type of committed object changes. The handler of these messages runs the matching event rules.
 * Messages about one object are dispatched in the order of the changes.
 */
export const inventoryChangeOutboxMessageType = defineOutboxMessage({
  name: 'inventory.changes',
  // Version 1 had no events of jobs.
  version: 2,
  payload: inventoryChangePayloadSchema,
  order: 'key',
  // A transaction has inserted, updated, deleted or locked the row of each change that it emits.
  writerLocksKey: true,
});
