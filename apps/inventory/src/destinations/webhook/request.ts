import type { OutboundRequest } from '@switchboard/outbound';
import type { BuiltRequest } from '@switchboard/webhooks';
import { readCertificateAuthorityFile } from './ca-file.js';
import type { DeliveryRequestBuildServices, ClaimedEventDelivery } from '../define-destination.js';
import type { StoredWebhook } from './stored-webhook.js';
import {
  reservedWebhookHeaderNames,
  webhookSignatureHeaderNames,
  createWebhookSignatureHeaders,
} from './signatures.js';
import { renderWebhookRequest } from './templates.js';

type WebhookRequestBuildServices = DeliveryRequestBuildServices<'secret'>;

/**
 * Builds the HTTP request of one delivery attempt from the current state of the webhook (docs/contract/inventory.md 5.3
 * and 5.4). The webhook's templates are rendered with the stored event context. The event context is also the default
 * request body.
 *
 * @throws UndeliverableError if a template fails, the secret cannot be decrypted or the CA file cannot be read
 */
export async function buildWebhookRequest(
  delivery: ClaimedEventDelivery,
  webhook: StoredWebhook,
  circumstances: WebhookRequestBuildServices,
): Promise<BuiltRequest> {
  const rendered = renderWebhookRequest(webhook, delivery.payload, circumstances.settings.templates);
  const bytes = Buffer.from(rendered.body, 'utf8');
  const additional = parseAdditionalHeaders(rendered.headers);
  const secrets = decryptWebhookSecrets(webhook, circumstances);
  const headers = new Map<string, string>([
    ['user-agent', 'Switchboard-Inventory'],
    ['content-type', webhook.httpContentType],
    ...additional,
    ...Object.entries(
      createWebhookSignatureHeaders({ deliveryId: delivery.id, body: bytes, ...secrets, nowMs: circumstances.nowMs }),
    ),
  ]);
  const request: OutboundRequest = {
    url: rendered.url,
    method: webhook.httpMethod,
    headers: Object.fromEntries(headers),
    body: bytes,
    // Additional headers often contain API keys.
    sensitiveHeaders: [...webhookSignatureHeaderNames, ...additional.keys()].filter((name) => name !== 'content-type'),
    oversize: 'truncate',
    tls: {
      rejectUnauthorized: webhook.sslVerification,
      ...(webhook.caFilePath ? { ca: await readCertificateAuthorityFile(webhook.caFilePath) } : {}),
    },
  };
  return { request, body: rendered.body };
}

/**
 * Parses rendered `additional_headers`: lines with a colon. Returns the header values by lower-case name. If several
 * lines have equal names, the last line is used (docs/contract/inventory.md 5.4). Headers that identify and sign a
 * delivery are ignored.
 */
export function parseAdditionalHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    if (!reservedWebhookHeaderNames.includes(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

/** Decrypts a webhook's current secret, and the webhook's earlier secrets that are still valid. */
function decryptWebhookSecrets(
  webhook: StoredWebhook,
  { openSecret, nowMs, settings }: WebhookRequestBuildServices,
): { secret: string; formerSecrets: readonly string[] } {
  const { secret, formerSecrets } = webhook;
  const valid = formerSecrets.filter(({ rotated }) => nowMs < rotated + settings.secretOverlapMs);
  return {
    secret: openSecret('secret', secret),
    formerSecrets: valid.map((former) => openSecret('secret', former.secret)).filter((opened) => opened !== ''),
  };
}
