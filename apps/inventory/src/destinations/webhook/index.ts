import type { OutboundResponse } from '@switchboard/outbound';
import { retryAfterMs, type ReceiverResponseProblem } from '@switchboard/webhooks';
import { defineEventDestination } from '../define-destination.js';
import { webhook as model } from './model.js';
import { buildWebhookRequest } from './request.js';
import type { StoredWebhook } from './stored-webhook.js';

/**
 * Webhook destination. A response with a 2xx status is a success. After any other response the delivery is retried
 * (docs/contract/inventory.md 5.5).
 */
export const webhookDestination = defineEventDestination<StoredWebhook, 'secret'>({
  actionType: 'webhook',
  label: 'Webhook',
  model,
  features: ['export_templates', 'tags'],
  columns: {
    payloadUrl: 'payload_url',
    httpMethod: 'http_method',
    httpContentType: 'http_content_type',
    additionalHeaders: 'additional_headers',
    bodyTemplate: 'body_template',
    secret: 'secret',
    formerSecrets: 'former_secrets',
    sslVerification: 'ssl_verification',
    caFilePath: 'ca_file_path',
  },
  secretFields: ['secret'],
  receiverColumn: 'payload_url',
  build: buildWebhookRequest,
  checkResponse: findErrorOfWebhookResponse,
});

function findErrorOfWebhookResponse(
  { status, headers, body }: OutboundResponse,
  nowMs: number,
): ReceiverResponseProblem | null {
  if (status >= 200 && status < 300) return null;
  const content = body.toString('utf8').slice(0, 500);
  return {
    error: `Status ${status} returned with content '${content}', webhook FAILED to process.`,
    retryAfterMs: retryAfterMs(headers['retry-after'], nowMs),
  };
}
