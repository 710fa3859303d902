import type { Delivery, DeliveryDetail, WebhookEndpoint } from '@switchboard/webhooks';
import { z } from 'zod';
import { eventWebhookMetadataSchema } from '../../core/event-webhooks/index.js';

const unixSecondsSchema = z.int().meta({ description: 'UNIX time in seconds' });

/** Schema of an event webhook in API responses. */
export const wireEventWebhookSchema = z.strictObject({
  id: z.uuid(),
  url: z.string(),
  description: z.string(),
  event_types: z.array(z.string()),
  narrow: z.array(z.tuple([z.string(), z.string()])),
  apply_markdown: z.boolean(),
  enabled: z.boolean(),
  user_id: z
    .int()
    .meta({ description: 'The administrator who created the webhook. It receives what this user may see' }),
  former_secrets: z.int().meta({ description: 'Number of replaced secrets that have not been deleted' }),
  created_at: unixSecondsSchema,
  updated_at: unixSecondsSchema,
});

/** An event webhook in the format of API responses. */
export type WireEventWebhook = z.infer<typeof wireEventWebhookSchema>;

const webhookDeliveryFields = {
  id: z.uuid().meta({ description: 'Value of the header webhook-id' }),
  sequence: z.int().meta({ description: 'Number in the order of creation' }),
  event_type: z.string(),
  status: z.enum(['queued', 'succeeded', 'failed']),
  attempts: z.int(),
  next_attempt_at: unixSecondsSchema.nullable(),
  response_status: z.int().nullable().meta({ description: 'Status of the last response' }),
  error: z.string().nullable().meta({ description: 'Error of the last attempt' }),
  created_at: unixSecondsSchema,
  finished_at: unixSecondsSchema.nullable(),
};

/** Schema of a webhook delivery in a list of deliveries. */
export const wireWebhookDeliverySchema = z.strictObject(webhookDeliveryFields);

/** A webhook delivery as a list of deliveries contains it. */
export type WireWebhookDelivery = z.infer<typeof wireWebhookDeliverySchema>;

const wireDeliveryAttemptSchema = z.strictObject({
  number: z.int(),
  started_at: unixSecondsSchema,
  duration_ms: z.int(),
  response_status: z.int().nullable(),
  response_body: z.string().nullable().meta({ description: 'The first 16 KiB' }),
  error: z.string().nullable(),
});

/** Schema of a webhook delivery with its body and delivery attempts. */
export const wireWebhookDeliveryDetailSchema = z.strictObject({
  ...webhookDeliveryFields,
  body: z.string().meta({ description: 'JSON that the receiver gets' }),
  attempt_log: z.array(wireDeliveryAttemptSchema),
});

/** A webhook delivery with its body and delivery attempts. */
export type WireWebhookDeliveryDetail = z.infer<typeof wireWebhookDeliveryDetailSchema>;

const isoTimeToUnixSeconds = (time: string): number => Math.floor(Date.parse(time) / 1000);
const toUnixSecondsOrNull = (time: string | null): number | null => (time === null ? null : isoTimeToUnixSeconds(time));

/** Converts an endpoint of the webhook package to the form of API responses. */
export function toWireEventWebhook(endpoint: WebhookEndpoint): WireEventWebhook {
  const { userId, narrow, applyMarkdown } = eventWebhookMetadataSchema.parse(endpoint.metadata);
  return {
    id: endpoint.id,
    url: endpoint.url,
    description: endpoint.description,
    event_types: endpoint.eventTypes,
    narrow,
    apply_markdown: applyMarkdown,
    enabled: endpoint.enabled,
    user_id: userId,
    former_secrets: endpoint.formerSecrets,
    created_at: isoTimeToUnixSeconds(endpoint.createdAt),
    updated_at: isoTimeToUnixSeconds(endpoint.updatedAt),
  };
}

/**
 * Converts a webhook delivery to the form in which a list of deliveries contains it. The result omits the order key,
 * which contains the name of a topic.
 */
export function toWireWebhookDelivery(delivery: Delivery): WireWebhookDelivery {
  return {
    id: delivery.id,
    sequence: delivery.sequence,
    event_type: delivery.type,
    status: delivery.status,
    attempts: delivery.attempts,
    next_attempt_at: toUnixSecondsOrNull(delivery.nextAttemptAt),
    response_status: delivery.responseStatus,
    error: delivery.error,
    created_at: isoTimeToUnixSeconds(delivery.createdAt),
    finished_at: toUnixSecondsOrNull(delivery.finishedAt),
  };
}

/** Converts a webhook delivery with its body and attempts to the form of API responses. */
export function toWireWebhookDeliveryDetail(detail: DeliveryDetail): WireWebhookDeliveryDetail {
  return {
    ...toWireWebhookDelivery(detail),
    body: detail.body,
    attempt_log: detail.attemptLog.map((attempt) => ({
      number: attempt.number,
      started_at: isoTimeToUnixSeconds(attempt.startedAt),
      duration_ms: attempt.durationMs,
      response_status: attempt.responseStatus,
      response_body: attempt.responseBody,
      error: attempt.error,
    })),
  };
}
