import { z } from 'zod';
import { createSuccessBodySchema } from '../../infra/http/envelope.schemas.js';
import { defineParameters } from '../../infra/http/parameters.js';
import { webhookFormats } from './formats/index.js';

/** Path parameters of the webhook endpoint: the name of a webhook format. */
export const webhookFormatPathParameters = z.object({ name: z.enum(webhookFormats.map(({ name }) => name)) });

/** URL parameters of all webhook formats together, for the OpenAPI document. */
export const allWebhookParameters = defineParameters(
  z.object(Object.assign({}, ...webhookFormats.map(({ parameters }) => parameters.schema.shape)) as z.ZodRawShape),
);

const webhookJsonPayloadSchema = z.string().meta({ description: 'The payload as JSON' });
const webhookFormBodySchema = z.object({ payload: webhookJsonPayloadSchema });

/**
 * Request body schemas of the webhook endpoint: JSON in the form of the sender, or a form with the JSON in the field
 * `payload`.
 */
export const webhookRequestBodySchemas = [
  { contentType: 'application/json', schema: z.unknown().meta({ description: 'The payload of the sender' }) },
  { contentType: 'application/x-www-form-urlencoded', schema: webhookFormBodySchema },
  { contentType: 'multipart/form-data', schema: webhookFormBodySchema },
];

const unsupportedEventResponseSchema = z.strictObject({
  result: z.literal('success'),
  msg: z.string(),
  code: z.literal('UNSUPPORTED_WEBHOOK_EVENT_TYPE'),
  webhook_name: z.string(),
  event_type: z.string(),
  ignored_parameters_unsupported: z.array(z.string()).optional(),
});

/**
 * Response body of the webhook endpoint. The response is a success even for events that the format does not support
 * (docs/contract/chat.md 1.5).
 */
export const webhookResponseBodySchema = z.union([createSuccessBodySchema({}), unsupportedEventResponseSchema]);
