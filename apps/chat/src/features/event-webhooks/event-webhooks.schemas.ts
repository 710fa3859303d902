import { z } from 'zod';
import { successBody } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { subscribableType } from './subscribable-types.js';
import { wireDelivery, wireDeliveryDetail, wireEventWebhook } from './wire-event-webhook.js';

/** Latest time that a parameter may have, in UNIX seconds: the end of the year 9999. */
const latestTime = 253_402_300_799;

const narrowOperand = z.string().max(200);

const fields = {
  url: z.string().max(2_048).meta({ description: 'Absolute http or https URL to which events are sent' }),
  description: z.string().max(500),
  event_types: z.array(subscribableType).min(1).max(100),
  narrow: z
    .array(z.tuple([z.string().max(50), narrowOperand]))
    .max(20)
    .meta({
      description:
        'Conditions on messages, as in the narrow of POST /register. Terms other than channel, topic and is:dm do not exclude events about existing messages',
    }),
  apply_markdown: z.boolean().meta({ description: 'True for messages as HTML, false for their Markdown' }),
  enabled: z.boolean(),
};

/** Parameters of POST /realm/event_webhooks. */
export const addWebhookParameters = defineParameters(
  z.object({
    url: fields.url,
    event_types: fields.event_types,
    description: fields.description.default(''),
    narrow: fields.narrow.default([]),
    apply_markdown: fields.apply_markdown.default(false),
    enabled: fields.enabled.default(true),
  }),
);

/** Parameters of PATCH /realm/event_webhooks/{webhook_id}. */
export const updateWebhookParameters = defineParameters(z.object(fields).partial());

/** Parameters of POST /realm/event_webhooks/{webhook_id}/rotate_secret. */
export const rotateSecretParameters = defineParameters(
  z.object({
    overlap_seconds: z.int().min(0).max(2_592_000).default(86_400).meta({
      description: 'Time for which the replaced secret still signs. With 0, all earlier secrets end immediately',
    }),
  }),
);

const status = z.enum(['queued', 'succeeded', 'failed']);
const anyEventType = z.string().max(100);

/** Parameters of GET /realm/event_webhooks/{webhook_id}/deliveries. */
export const listDeliveriesParameters = defineParameters(
  z.object({
    status: status.optional(),
    event_type: anyEventType.optional(),
    before: z.int().min(1).max(Number.MAX_SAFE_INTEGER).optional().meta({
      description: 'The value next_before of the previous page',
    }),
    limit: z.int().min(1).max(250).default(50),
  }),
);

const time = z.int().min(0).max(latestTime);

/** Parameters of POST /realm/event_webhooks/{webhook_id}/deliveries/requeue. */
export const requeueParameters = defineParameters(
  z.object({
    delivery_id: z.string().max(100).optional().meta({
      description: 'One failed or waiting delivery; other parameters are ignored. By default, all failed deliveries',
    }),
    event_type: anyEventType.optional(),
    created_from: time.optional().meta({ description: 'UNIX time in seconds' }),
    created_before: time.optional().meta({ description: 'UNIX time in seconds' }),
  }),
);

/** Empty parameters, for endpoints that accept none. */
export const noParameters = defineParameters(z.object({}));

const secret = z.string().meta({ description: 'Signing secret: whsec_ and base64. It cannot be read again' });

/** Response with all event webhooks of the organization. */
export const listWebhooksBody = successBody({ event_webhooks: z.array(wireEventWebhook) });

/** Response with an event webhook. */
export const webhookBody = successBody({ event_webhook: wireEventWebhook });

/** Response with an event webhook and its new secret. */
export const webhookSecretBody = successBody({ event_webhook: wireEventWebhook, secret });

/** Response with a page of deliveries. */
export const listDeliveriesBody = successBody({
  deliveries: z.array(wireDelivery),
  next_before: z.int().nullable().meta({ description: 'Parameter before of the next page; null on the last page' }),
});

/** Response with one delivery. */
export const deliveryBody = successBody({ delivery: wireDeliveryDetail });

/** Response with the number of requeued deliveries. */
export const requeueBody = successBody({
  requeued: z.int().meta({ description: 'At most 10,000 for one request' }),
});

/** Success response without data. */
export const emptyBody = successBody({});

/** Path parameter of endpoints for one event webhook. */
export const webhookPath = z.object({ webhook_id: z.string() });

/** Path parameters of the endpoint for one delivery. */
export const deliveryPath = z.object({ webhook_id: z.string(), delivery_id: z.string() });
