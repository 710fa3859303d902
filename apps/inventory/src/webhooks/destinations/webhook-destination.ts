import type { OutboundResponse } from '@switchboard/outbound';
import { retryAfterMs } from '../retry-policy.js';
import { buildWebhookRequest } from '../webhook-request.js';
import { originSql, type Complaint, type Destination } from './destination.js';
import type { StoredWebhook } from './stored-object.js';

/** Any 2xx is success; every other answer is tried again (docs/contract/inventory.md 5.5). */
export const webhookDestination: Destination<StoredWebhook> = {
  noun: 'webhook',
  storedSql: `SELECT json_build_object(
      'id', w.id::text, 'name', w.name, 'payloadUrl', w.payload_url, 'httpMethod', w.http_method,
      'httpContentType', w.http_content_type, 'additionalHeaders', w.additional_headers,
      'bodyTemplate', w.body_template, 'secret', w.secret, 'formerSecrets', w.former_secrets,
      'sslVerification', w.ssl_verification, 'caFilePath', w.ca_file_path)
    FROM extras_webhook w WHERE w.id = c.webhook_id`,
  receiverSql: (id) =>
    `SELECT ${originSql('w.payload_url', "'webhook ' || w.id")} FROM extras_webhook w WHERE w.id = ${id}`,
  build: buildWebhookRequest,
  complaint: complainOfStatus,
};

function complainOfStatus({ status, headers, body }: OutboundResponse, nowMs: number): Complaint | null {
  if (status >= 200 && status < 300) return null;
  const content = body.toString('utf8').slice(0, 500);
  return {
    error: `Status ${status} returned with content '${content}', webhook FAILED to process.`,
    retryAfterMs: retryAfterMs(headers['retry-after'], nowMs),
  };
}
