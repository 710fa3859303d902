import { z } from 'zod';
import { eventTypeNameSchema, listPageQuerySchema } from '../endpoints/endpoint-schemas.js';

const deliveryStatusSchema = z.enum(['queued', 'succeeded', 'failed']);

/** Schema of a webhook delivery in responses. */
export const deliverySchema = z.strictObject({
  /** Id of the webhook delivery. All attempts send the id in the header `webhook-id`. */
  id: z.uuid(),
  /** Number of the webhook delivery in the order of creation. */
  sequence: z.int(),
  endpointId: z.uuid(),
  type: z.string(),
  /** Order key of the delivered event; null for a delivery without an order key. */
  key: z.string().nullable(),
  status: deliveryStatusSchema,
  /** Number of attempts of the delivery, including attempts before a requeue. */
  attempts: z.int(),
  /**
   * Reason why a queued delivery waits. With `retry`, the delivery waits for its next attempt; with `breaker`, for a
   * receiver that does not respond. Null if the delivery is due or being sent.
   */
  waitingFor: z.string().nullable(),
  nextAttemptAt: z.iso.datetime().nullable(),
  /** HTTP status of the receiver's last response; null if there was no response. */
  responseStatus: z.int().nullable(),
  /** Error of the last attempt of the delivery; null if the last attempt had no error. */
  error: z.string().nullable(),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});

/**
 * Schema of an attempt of a webhook delivery. Request and response fields are null if no request was sent or no
 * response was received.
 */
export const deliveryAttemptSchema = z.strictObject({
  number: z.int(),
  startedAt: z.iso.datetime(),
  durationMs: z.int(),
  requestUrl: z.string().nullable(),
  /** Headers of the sent request. The values of signatures are masked. */
  requestHeaders: z.record(z.string(), z.unknown()).nullable(),
  responseStatus: z.int().nullable(),
  responseHeaders: z.record(z.string(), z.unknown()).nullable(),
  responseBody: z.string().nullable(),
  error: z.string().nullable(),
});

/** Schema of a webhook delivery with its body and a page of its attempts. */
export const deliveryDetailSchema = deliverySchema.extend({
  body: z.string(),
  /** Page of the delivery's attempts, in the order of their numbers. */
  attemptLog: z.array(deliveryAttemptSchema),
  /**
   * Value of `attemptsBefore` that requests the attempts before the page in `attemptLog`; null if there are no earlier
   * attempts.
   */
  attemptsNext: z.int().nullable(),
});

/** Schema of the query for a page of a delivery's attempts. The first page contains the newest attempts. */
export const deliveryAttemptQuerySchema = z.strictObject({
  /** Value of `attemptsNext` of the previous page of attempts. Absent for the first page. */
  attemptsBefore: z.coerce.number().int().min(0).max(2_147_483_647).optional(),
  attemptsLimit: z.coerce.number().int().min(1).max(100).default(25),
});

/** Schema of a time in a filter of deliveries. PostgreSQL refuses the year 0. */
const deliveryFilterTimeSchema = z.iso
  .datetime({ offset: true })
  .refine(
    (text) => Date.parse(text) >= 0 && Date.parse(text) < Date.UTC(10_000, 0),
    'must be a time from 1970 to 9999',
  );

/** Schema of a filter of webhook deliveries. A delivery must meet all conditions. */
export const deliveryFilterSchema = z.strictObject({
  endpointId: z.uuid().optional(),
  type: eventTypeNameSchema.optional(),
  /**
   * Earliest creation time of matching deliveries, inclusive. The format is ISO 8601 with an offset, to the
   * millisecond.
   */
  createdFrom: deliveryFilterTimeSchema.optional(),
  /**
   * Latest creation time of matching deliveries, exclusive. The format is ISO 8601 with an offset, to the millisecond.
   */
  createdBefore: deliveryFilterTimeSchema.optional(),
});

/** Schema of the query for a list of webhook deliveries: a filter and a page. Lists are sorted from new to old. */
export const deliveryQuerySchema = deliveryFilterSchema.extend({
  status: deliveryStatusSchema.optional(),
  /** Value of `next` of the previous page of deliveries. Absent for the first page. */
  before: listPageQuerySchema.shape.after,
  limit: listPageQuerySchema.shape.limit,
});

/** Schema of a page of webhook deliveries. `next` is null on the last page. */
export const deliveryPageSchema = z.strictObject({
  deliveries: z.array(deliverySchema),
  next: z.int().nullable(),
});

/** Schema of the result of requeuing all deliveries that match a filter. */
export const requeueResultSchema = z.strictObject({
  /** Number of deliveries that the call has requeued, at most 10,000. */
  requeued: z.int(),
});

/** A webhook delivery in the package's own tables. */
export type Delivery = z.infer<typeof deliverySchema>;
/** A webhook delivery with its body and a page of its attempts. */
export type DeliveryDetail = z.infer<typeof deliveryDetailSchema>;
/** Query for a page of the attempts of a webhook delivery, see {@link deliveryAttemptQuerySchema}. */
export type DeliveryAttemptQuery = z.input<typeof deliveryAttemptQuerySchema>;
/** Filter of webhook deliveries, see {@link deliveryFilterSchema}. */
export type DeliveryFilter = z.input<typeof deliveryFilterSchema>;
/** Query for a list of webhook deliveries: a filter and a page. */
export type DeliveryQuery = z.input<typeof deliveryQuerySchema>;
/** A page of a list of webhook deliveries. */
export type DeliveryPage = z.infer<typeof deliveryPageSchema>;
