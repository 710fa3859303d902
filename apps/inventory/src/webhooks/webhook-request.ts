import type { OutboundRequest } from '@switchboard/outbound';
import { readCaFile } from './ca-file.js';
import type { ClaimedDelivery } from './delivery-store.js';
import type { BuildEnvironment, BuiltRequest, OpenSecret, StoredWebhook } from './destinations/index.js';
import { deliveryHeaderNames, signatureHeaderNames, signatureHeaders } from './signatures.js';
import { UndeliverableError } from './undeliverable-error.js';

const templateMark = /\{\{|\{%|\{#/;

/**
 * Builds the request of one attempt from the webhook as it now is (inventory-contract 5.3 and 5.4). The body is the
 * stored event context unless the webhook states another.
 *
 * @throws UndeliverableError when the webhook needs templates, its secret cannot be opened or its CA file not be read.
 */
export async function buildWebhookRequest(
  delivery: ClaimedDelivery,
  webhook: StoredWebhook,
  { openSecret, nowMs }: Pick<BuildEnvironment, 'openSecret' | 'nowMs'>,
): Promise<BuiltRequest> {
  refuseTemplates(webhook);
  const body = webhook.bodyTemplate === '' ? delivery.payload : webhook.bodyTemplate;
  const bytes = Buffer.from(body, 'utf8');
  const additional = additionalHeaders(webhook.additionalHeaders);
  const headers = new Map<string, string>([
    ['user-agent', 'Switchboard-Inventory'],
    ['content-type', webhook.httpContentType],
    ...additional,
    ...Object.entries(
      signatureHeaders({ deliveryId: delivery.id, body: bytes, secret: openedSecret(webhook, openSecret), nowMs }),
    ),
  ]);
  const request: OutboundRequest = {
    url: webhook.payloadUrl,
    method: webhook.httpMethod,
    headers: Object.fromEntries(headers),
    body: bytes,
    // What people put into additional headers is often a key.
    sensitiveHeaders: [...signatureHeaderNames, ...additional.keys()].filter((name) => name !== 'content-type'),
    oversize: 'truncate',
    tls: {
      rejectUnauthorized: webhook.sslVerification,
      ...(webhook.caFilePath ? { ca: await readCaFile(webhook.caFilePath) } : {}),
    },
  };
  return { request, body };
}

/**
 * The lines of `additional_headers` that hold a colon, trimmed on both sides of it, by lower-case name; of two with one
 * name the later counts (inventory-contract 5.4). The headers that identify and sign a delivery are left out.
 */
export function additionalHeaders(text: string): Map<string, string> {
  const headers = new Map<string, string>();
  for (const line of text.split(/\r\n|\r|\n/)) {
    const colon = line.indexOf(':');
    if (colon < 0) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    if (!deliveryHeaderNames.includes(name)) headers.set(name, line.slice(colon + 1).trim());
  }
  return headers;
}

function refuseTemplates(webhook: StoredWebhook): void {
  const { payloadUrl, additionalHeaders: headers, bodyTemplate } = webhook;
  const parts = { 'payload URL': payloadUrl, 'additional headers': headers, 'body template': bodyTemplate };
  for (const [part, text] of Object.entries(parts)) {
    if (!templateMark.test(text)) continue;
    throw new UndeliverableError(
      `The ${part} of webhook ${webhook.name} needs templates, which are not supported yet.`,
    );
  }
}

function openedSecret(webhook: StoredWebhook, openSecret: OpenSecret): string {
  try {
    return openSecret(webhook.secret) ?? '';
  } catch (cause) {
    throw new UndeliverableError(`The secret of webhook ${webhook.name} cannot be decrypted.`, { cause });
  }
}
