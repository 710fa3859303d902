import type { OutboundRequest } from '@switchboard/outbound';
import { readCaFile } from './ca-file.js';
import type { BuildEnvironment, BuiltRequest, ClaimedDelivery } from '../destination.js';
import type { StoredWebhook } from './stored-webhook.js';
import { deliveryHeaderNames, signatureHeaderNames, signatureHeaders } from './signatures.js';
import { renderWebhook } from './templates.js';

type Circumstances = BuildEnvironment<'secret'>;

/**
 * Builds the request of one attempt from the webhook as it now is (docs/contract/inventory.md 5.3 and 5.4), its
 * templates rendered with the stored event context. The body is that context unless the webhook states another.
 *
 * @throws UndeliverableError when a template fails, the secret cannot be opened or the CA file not be read.
 */
export async function buildWebhookRequest(
  delivery: ClaimedDelivery,
  webhook: StoredWebhook,
  circumstances: Circumstances,
): Promise<BuiltRequest> {
  const rendered = renderWebhook(webhook, delivery.payload, circumstances.settings.templates);
  const bytes = Buffer.from(rendered.body, 'utf8');
  const additional = additionalHeaders(rendered.headers);
  const secrets = openedSecrets(webhook, circumstances);
  const headers = new Map<string, string>([
    ['user-agent', 'Switchboard-Inventory'],
    ['content-type', webhook.httpContentType],
    ...additional,
    ...Object.entries(
      signatureHeaders({ deliveryId: delivery.id, body: bytes, ...secrets, nowMs: circumstances.nowMs }),
    ),
  ]);
  const request: OutboundRequest = {
    url: rendered.url,
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
  return { request, body: rendered.body };
}

/**
 * The lines of rendered `additional_headers` that hold a colon, trimmed on both sides of it, by lower-case name; of two with one
 * name the later counts (docs/contract/inventory.md 5.4). The headers that identify and sign a delivery are left out.
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

/** The secrets that a delivery is signed with now. */
function openedSecrets(
  webhook: StoredWebhook,
  { openSecret, nowMs, settings }: Circumstances,
): { secret: string; formerSecrets: readonly string[] } {
  const { secret, formerSecrets } = webhook;
  const valid = formerSecrets.filter(({ rotated }) => nowMs < rotated + settings.secretOverlapMs);
  return {
    secret: openSecret('secret', secret),
    formerSecrets: valid.map((former) => openSecret('secret', former.secret)).filter((opened) => opened !== ''),
  };
}
