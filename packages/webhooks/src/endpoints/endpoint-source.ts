import { retryAfterMs } from '../engine/retry-policy.js';
import type {
  BuiltRequest,
  ClaimedDelivery,
  EndpointSource,
  ReceiverResponseProblem,
} from '../engine/endpoint-source.js';
import { UndeliverableError } from '../engine/undeliverable-error.js';
import type { WebhookTableNames } from '../webhook-tables.js';
import { signWebhook, type WebhookSigningScheme } from '../signing/signing-scheme.js';
import { decryptEndpointSecrets, type SecretEncryption, type EncryptedEndpointSecrets } from './sealed-secrets.js';

/** Data of an endpoint and of a delivery's event that are needed to build the HTTP request of the delivery. */
export interface WebhookDeliveryTarget extends EncryptedEndpointSecrets {
  readonly id: string;
  readonly url: string;
  readonly enabled: boolean;
  readonly owner: string;
  /** Metadata that the service has stored with the endpoint. */
  readonly metadata: Readonly<Record<string, unknown>>;
  /** Type of the delivered event. */
  readonly type: string;
  /** Order key of the delivered event; null for an event without an order key. */
  readonly key: string | null;
}

/** A webhook delivery that is about to be sent, for the decision of the service. */
export interface WebhookDeliveryToCheck {
  readonly id: string;
  readonly endpointId: string;
  readonly owner: string;
  /** Metadata that the service has stored with the endpoint. */
  readonly metadata: Readonly<Record<string, unknown>>;
  readonly type: string;
  readonly key: string | null;
  /** JSON text of the body of the delivery. */
  readonly body: string;
}

/** Function of the service that decides if a webhook delivery may be sent. See `WebhooksOptions.checkDelivery`. */
export type WebhookDeliveryCheck = (delivery: WebhookDeliveryToCheck) => Promise<string | null>;

export interface EndpointSourceDependencies {
  readonly tables: WebhookTableNames;
  readonly sealer: SecretEncryption;
  readonly signing: readonly WebhookSigningScheme[];
  readonly userAgent: string;
  readonly checkDelivery: WebhookDeliveryCheck | undefined;
}

/** HTTP status by which a receiver requests no further attempts. */
const noFurtherAttemptsHttpStatus = 410;

/**
 * Returns the endpoint source of the package's own tables, which builds requests and checks responses of deliveries.
 */
export function createWebhookEndpointSource(
  environment: EndpointSourceDependencies,
): EndpointSource<WebhookDeliveryTarget> {
  const { endpoints, deliveries, attempts } = environment.tables;
  const ofEndpoint = (expression: string, delivery: string, condition = ''): string =>
    `(SELECT ${expression} FROM ${endpoints} p WHERE p.id = ${delivery}.endpoint_id${condition})`;
  return {
    tables: {
      deliveries,
      attempts,
      laneSql: (d) => `(${d}.endpoint_id::text || ' ' || ${d}.order_key)`,
      endpointSql: (d) => `${d}.endpoint_id`,
      // Deliveries of a disabled endpoint fail immediately, and do not wait for its receiver.
      receiverSql: (d) => ofEndpoint('p.receiver', d, ' AND p.enabled'),
      targetSql: (d) =>
        ofEndpoint(
          `json_build_object('id', p.id, 'url', p.url, 'enabled', p.enabled, 'secret', p.secret,
            'formerSecrets', p.former_secrets, 'owner', p.owner, 'metadata', p.metadata, 'type', ${d}.event,
            'key', ${d}.order_key)`,
          d,
        ),
    },
    build: (delivery, nowMs) => buildDeliveryRequest(delivery, nowMs, environment),
    checkResponse: findEndpointResponseProblem,
    logFields: ({ target }) => ({ endpoint: target?.id }),
  };
}

async function buildDeliveryRequest(
  { id, payload, target }: ClaimedDelivery<WebhookDeliveryTarget>,
  nowMs: number,
  { sealer, signing, userAgent, checkDelivery }: EndpointSourceDependencies,
): Promise<BuiltRequest> {
  if (target === null) throw new UndeliverableError('The endpoint was deleted.');
  if (!target.enabled) throw new UndeliverableError('The endpoint is disabled.');
  const { owner, metadata, type, key } = target;
  const refusal = await checkDelivery?.({ id, endpointId: target.id, owner, metadata, type, key, body: payload });
  if (typeof refusal === 'string') throw new UndeliverableError(refusal);
  const body = Buffer.from(payload, 'utf8');
  const secrets = decryptEndpointSecrets(sealer, target.id, target, nowMs);
  const signed = signWebhook({ id, body, secrets, nowMs }, signing);
  return {
    request: {
      url: target.url,
      method: 'POST',
      headers: {
        'user-agent': userAgent,
        'content-type': 'application/json',
        ...signed,
      },
      body,
      // Their values are masked in the record of the attempt.
      sensitiveHeaders: Object.keys(signed).filter((name) => name !== 'webhook-id' && name !== 'webhook-timestamp'),
      oversize: 'truncate',
      // The Standard Webhooks specification counts redirects as failures.
      maxRedirects: 0,
    },
    body: payload,
  };
}

function findEndpointResponseProblem(
  { status, headers }: { readonly status: number; readonly headers: { readonly 'retry-after'?: string | undefined } },
  nowMs: number,
): ReceiverResponseProblem | null {
  if (status >= 200 && status < 300) return null;
  const error = `The receiver responded with status ${status}.`;
  if (status === noFurtherAttemptsHttpStatus) return { error, final: true };
  return { error, retryAfterMs: retryAfterMs(headers['retry-after'], nowMs) };
}
