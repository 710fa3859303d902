import { z } from 'zod';
import { eventTypeNameSchema, pageQuerySchema } from '../endpoints/endpoint-schemas.js';

const deliveryStatusSchema = z.enum(['queued', 'succeeded', 'failed']);

/** Schema of a delivery in responses. */
export const deliverySchema = z.strictObject({
  /** Id that all attempts send as `webhook-id`. */
  id: z.uuid(),
  /** Number in the order of creation. */
  sequence: z.int(),
  endpointId: z.uuid(),
  type: z.string(),
  /** Order key of the event; null for a delivery without an order. */
  key: z.string().nullable(),
  status: deliveryStatusSchema,
  /** Number of attempts, also before a requeue. */
  attempts: z.int(),
  /**
   * Reason why a queued delivery waits: `retry` for its next attempt, `breaker` for a receiver that does not respond. Null
   * if the delivery is due or being sent.
   */
  waitingFor: z.string().nullable(),
  nextAttemptAt: z.iso.datetime().nullable(),
  /** Status of the last response. */
  responseStatus: z.int().nullable(),
  /** Error of the last attempt. */
  error: z.string().nullable(),
  createdAt: z.iso.datetime(),
  finishedAt: z.iso.datetime().nullable(),
});

/** Schema of an attempt of a delivery. Bodies and headers are null if nothing was sent or received. */
export const attemptSchema = z.strictObject({
  number: z.int(),
  startedAt: z.iso.datetime(),
  durationMs: z.int(),
  requestUrl: z.string().nullable(),
  /** Headers of the request. Values of signatures are masked. */
  requestHeaders: z.record(z.string(), z.unknown()).nullable(),
  responseStatus: z.int().nullable(),
  responseHeaders: z.record(z.string(), z.unknown()).nullable(),
  responseBody: z.string().nullable(),
  error: z.string().nullable(),
});

/** Schema of a delivery with its body and a page of its attempts. */
export const deliveryDetailSchema = deliverySchema.extend({
  body: z.string(),
  /** Attempts in the order of their numbers. */
  attemptLog: z.array(attemptSchema),
  /** Value of `attemptsBefore` for the attempts before the attempts in `attemptLog`; null without earlier attempts. */
  attemptsNext: z.int().nullable(),
});

/** Schema of the page of attempts of a delivery. The first page has the newest attempts. */
export const attemptQuerySchema = z.strictObject({
  /** Value of `attemptsNext` of the previous page. */
  attemptsBefore: z.coerce.number().int().min(0).max(2_147_483_647).optional(),
  attemptsLimit: z.coerce.number().int().min(1).max(100).default(25),
});

/** Schema of the time in a filter. PostgreSQL refuses the year 0. */
const filterTimeSchema = z.iso
  .datetime({ offset: true })
  .refine(
    (text) => Date.parse(text) >= 0 && Date.parse(text) < Date.UTC(10_000, 0),
    'must be a time from 1970 to 9999',
  );

/** Schema of conditions on deliveries. */
export const deliveryFilterSchema = z.strictObject({
  endpointId: z.uuid().optional(),
  type: eventTypeNameSchema.optional(),
  /** Time from which deliveries were created, as ISO 8601 with an offset, to the millisecond. */
  createdFrom: filterTimeSchema.optional(),
  /** Time before which deliveries were created, as ISO 8601 with an offset, to the millisecond. */
  createdBefore: filterTimeSchema.optional(),
});

/** Schema of the filter and page of a list of deliveries. Lists are sorted from new to old. */
export const deliveryQuerySchema = deliveryFilterSchema.extend({
  status: deliveryStatusSchema.optional(),
  /** Value of `next` of the previous page. */
  before: pageQuerySchema.shape.after,
  limit: pageQuerySchema.shape.limit,
});

/** Schema of a page of deliveries. `next` is null on the last page. */
export const deliveryPageSchema = z.strictObject({
  deliveries: z.array(deliverySchema),
  next: z.int().nullable(),
});

/** Schema of the result of a requeue by filter. */
export const requeueResultSchema = z.strictObject({
  /** Number of requeued deliveries, at most 10,000 for one call. */
  requeued: z.int(),
});

/** A delivery in the package's own tables. */
export type Delivery = z.infer<typeof deliverySchema>;
/** A delivery with its body and a page of its attempts. */
export type DeliveryDetail = z.infer<typeof deliveryDetailSchema>;
/** Page of the attempts of a delivery, see {@link attemptQuerySchema}. */
export type AttemptQuery = z.input<typeof attemptQuerySchema>;
/** Conditions on deliveries, see {@link deliveryFilterSchema}. */
export type DeliveryFilter = z.input<typeof deliveryFilterSchema>;
/** Filter and page of a list of deliveries. */
export type DeliveryQuery = z.input<typeof deliveryQuerySchema>;
/** A page of deliveries. */
export type DeliveryPage = z.infer<typeof deliveryPageSchema>;
