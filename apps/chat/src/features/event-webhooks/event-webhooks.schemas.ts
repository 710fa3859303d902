import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { subscribableEventTypeSchema } from './subscribable-types.js';
import {
  wireWebhookDeliverySchema,
  wireWebhookDeliveryDetailSchema,
  wireEventWebhookSchema,
} from './wire-event-webhook.js';

/** Latest time that a request parameter may contain, in UNIX seconds. This is the end of the year 9999. */
const maxParameterUnixSeconds = 253_402_300_799;

const narrowOperandSchema = z.string().max(200);

const eventWebhookParameterFields = {
  url: z.string().max(2_048).meta({ description: 'Absolute http or https URL to which events are sent' }),
  description: z.string().max(500),
  event_types: z.array(subscribableEventTypeSchema).min(1).max(100),
  narrow: z
    .array(z.tuple([z.string().max(50), narrowOperandSchema]))
    .max(20)
    .meta({
      description:
        'Conditions on messages, as in the narrow of POST /register. Terms other than channel, topic and is:dm do not exclude events about existing messages',
    }),
  apply_markdown: z.boolean().meta({ description: 'True for messages as HTML, false for their Markdown' }),
  enabled: z.boolean(),
};

/** Parameters of the request POST /realm/event_webhooks, which creates an event webhook. */
export const addWebhookParameters = defineParameters(
  z.object({
    url: eventWebhookParameterFields.url,
    event_types: eventWebhookParameterFields.event_types,
    description: eventWebhookParameterFields.description.default(''),
    narrow: eventWebhookParameterFields.narrow.default([]),
    apply_markdown: eventWebhookParameterFields.apply_markdown.default(false),
    enabled: eventWebhookParameterFields.enabled.default(true),
  }),
);

/** Parameters of the request PATCH /realm/event_webhooks/{webhook_id}, which changes an event webhook. */
export const updateWebhookParameters = defineParameters(z.object(eventWebhookParameterFields).partial());

/**
 * Parameters of the request POST /realm/event_webhooks/{webhook_id}/rotate_secret, which replaces a webhook's secret.
 */
export const rotateSecretParameters = defineParameters(
  z.object({
    overlap_seconds: z.int().min(0).max(2_592_000).default(86_400).meta({
      description: 'Time for which the replaced secret still signs. With 0, all earlier secrets end immediately',
    }),
  }),
);

const deliveryStatusSchema = z.enum(['queued', 'succeeded', 'failed']);
const eventTypeNameSchema = z.string().max(100);

export const listDeliveriesParameters = defineParameters(
  z.object({
    status: deliveryStatusSchema.optional(),
    event_type: eventTypeNameSchema.optional(),
    before: z.int().min(1).max(Number.MAX_SAFE_INTEGER).optional().meta({
      description: 'The value next_before of the previous page',
    }),
    limit: z.int().min(1).max(250).default(50),
  }),
);

const unixTimeSchema = z.int().min(0).max(maxParameterUnixSeconds);

export const webhookDeliveryRequeueParameters = defineParameters(
  z.object({
    delivery_id: z.string().max(100).optional().meta({
      description: 'One failed or waiting delivery; other parameters are ignored. By default, all failed deliveries',
    }),
    event_type: eventTypeNameSchema.optional(),
    created_from: unixTimeSchema.optional().meta({ description: 'UNIX time in seconds' }),
    created_before: unixTimeSchema.optional().meta({ description: 'UNIX time in seconds' }),
  }),
);

/** Definition of an empty parameter list, for endpoints that accept no parameters. */
export const emptyRequestParameters = defineParameters(z.object({}));

const signingSecretSchema = z
  .string()
  .meta({ description: 'Signing secret: whsec_ and base64. It cannot be read again' });

/** Response body with all event webhooks of the organization. */
export const listWebhooksResponseBody = createSuccessBodySchema({ event_webhooks: z.array(wireEventWebhookSchema) });

export const webhookResponseBody = createSuccessBodySchema({ event_webhook: wireEventWebhookSchema });

/** Response body with an event webhook and its new secret. */
export const webhookWithSecretResponseBody = createSuccessBodySchema({
  event_webhook: wireEventWebhookSchema,
  secret: signingSecretSchema,
});

/** Response body with a page of an event webhook's deliveries. */
export const listDeliveriesResponseBody = createSuccessBodySchema({
  deliveries: z.array(wireWebhookDeliverySchema),
  next_before: z.int().nullable().meta({ description: 'Parameter before of the next page; null on the last page' }),
});

/** Response body with one delivery of an event webhook. */
export const deliveryResponseBody = createSuccessBodySchema({ delivery: wireWebhookDeliveryDetailSchema });

/** Response body with the number of deliveries that will be sent again. */
export const webhookDeliveryRequeueResponseBody = createSuccessBodySchema({
  requeued: z.int().meta({ description: 'At most 10,000 for one request' }),
});

/** Schema of the success response body of endpoints that return no data. */
export const emptyResponseBody = createSuccessBodySchema({});

/** Path parameter of the endpoints for one event webhook: the webhook's id. */
export const eventWebhookPathParameters = z.object({ webhook_id: z.string() });

/** Path parameters of the endpoint for one delivery: the ids of the webhook and of the delivery. */
export const webhookDeliveryPathParameters = z.object({ webhook_id: z.string(), delivery_id: z.string() });
