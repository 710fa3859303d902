import type { Delivery, DeliveryDetail, Endpoint } from '@switchboard/webhooks';
import { z } from 'zod';
import { eventWebhookMetadata } from '../../core/event-webhooks/index.js';

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

/** An event webhook in the form of API responses. */
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
export const wireDeliverySchema = z.strictObject(webhookDeliveryFields);

/** A webhook delivery in the form in which a list of deliveries contains it. */
export type WireDelivery = z.infer<typeof wireDeliverySchema>;

const wireAttemptSchema = z.strictObject({
  number: z.int(),
  started_at: unixSecondsSchema,
  duration_ms: z.int(),
  response_status: z.int().nullable(),
  response_body: z.string().nullable().meta({ description: 'The first 16 KiB' }),
  error: z.string().nullable(),
});

/** Schema of a webhook delivery with its body and its delivery attempts. */
export const wireDeliveryDetailSchema = z.strictObject({
  ...webhookDeliveryFields,
  body: z.string().meta({ description: 'JSON that the receiver gets' }),
  attempt_log: z.array(wireAttemptSchema),
});

/** A webhook delivery with its body and its delivery attempts. */
export type WireDeliveryDetail = z.infer<typeof wireDeliveryDetailSchema>;

const millisecondsToSeconds = (time: string): number => Math.floor(Date.parse(time) / 1000);
const toSecondsOrNull = (time: string | null): number | null => (time === null ? null : millisecondsToSeconds(time));

/** Converts an endpoint of the webhook package to the form of API responses. */
export function toWireEventWebhook(endpoint: Endpoint): WireEventWebhook {
  const { userId, narrow, applyMarkdown } = eventWebhookMetadata.parse(endpoint.metadata);
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
    created_at: millisecondsToSeconds(endpoint.createdAt),
    updated_at: millisecondsToSeconds(endpoint.updatedAt),
  };
}

/**
 * Converts a webhook delivery to the form in which a list of deliveries contains it. The result omits the order key,
 * which contains the name of a topic.
 */
export function toWireDelivery(delivery: Delivery): WireDelivery {
  return {
    id: delivery.id,
    sequence: delivery.sequence,
    event_type: delivery.type,
    status: delivery.status,
    attempts: delivery.attempts,
    next_attempt_at: toSecondsOrNull(delivery.nextAttemptAt),
    response_status: delivery.responseStatus,
    error: delivery.error,
    created_at: millisecondsToSeconds(delivery.createdAt),
    finished_at: toSecondsOrNull(delivery.finishedAt),
  };
}

/** Converts a webhook delivery with its body and attempts to the form of API responses. */
export function toWireDeliveryDetail(detail: DeliveryDetail): WireDeliveryDetail {
  return {
    ...toWireDelivery(detail),
    body: detail.body,
    attempt_log: detail.attemptLog.map((attempt) => ({
      number: attempt.number,
      started_at: millisecondsToSeconds(attempt.startedAt),
      duration_ms: attempt.durationMs,
      response_status: attempt.responseStatus,
      response_body: attempt.responseBody,
      error: attempt.error,
    })),
  };
}
