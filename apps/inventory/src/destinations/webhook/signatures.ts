import { signWebhook, type SignatureHeaderScheme, type WebhookSigningScheme } from '@switchboard/webhooks';

/** Parts of a webhook delivery that the signatures cover, and the secrets with which the delivery is signed. */
export interface WebhookDeliveryToSign {
  /** Id of the webhook delivery. All attempts of a delivery send one id, so that receivers can discard duplicates. */
  readonly deliveryId: string;
  /** Bytes of the signed request body of the delivery. */
  readonly body: Buffer;
  /** Current secret of the webhook; '' if deliveries are not signed. */
  readonly secret: string;
  /** Replaced secrets of the webhook that are still valid, newest first. */
  readonly formerSecrets?: readonly string[];
  /** Time of the delivery attempt in milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * Names of the HTTP headers with signatures of a delivery. After a redirect to another host, these headers are not
 * sent.
 */
export const webhookSignatureHeaderNames = ['x-hook-signature', 'webhook-signature'] as const;

/** Names of the HTTP headers of a delivery that the additional headers of a webhook cannot replace. */
export const reservedWebhookHeaderNames: readonly string[] = [
  ...webhookSignatureHeaderNames,
  'webhook-id',
  'webhook-timestamp',
];

/** Scheme of the header `X-Hook-Signature`: the lower-case hexadecimal HMAC-SHA512 of the body. */
export const hexadecimalBodySignatureScheme: SignatureHeaderScheme = {
  header: 'x-hook-signature',
  algorithm: 'sha512',
  encoding: 'hex',
};

const webhookSigningSchemes: readonly WebhookSigningScheme[] = ['standard', hexadecimalBodySignatureScheme];

/**
 * Returns the HTTP headers of a webhook delivery with two signatures of the request body (docs/contract/inventory.md
 * 5.4, and the Standard Webhooks specification). `x-hook-signature` is the hexadecimal HMAC-SHA512 of the body.
 * `webhook-signature` is `v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<body>`, with which receivers can also
 * reject replays.
 *
 * The key consists of the secret's UTF-8 bytes. As that specification requires, a secret `whsec_<base64>` is decoded
 * for the second signature.
 *
 * While former secrets are valid, `webhook-signature` contains one signature for each, newest first, separated by
 * spaces. `x-hook-signature` has room for one and uses the current secret.
 */
export function createWebhookSignatureHeaders(delivery: WebhookDeliveryToSign): Readonly<Record<string, string>> {
  const { deliveryId: id, body, secret, formerSecrets = [], nowMs } = delivery;
  const secrets = secret === '' ? [] : [...new Set([secret, ...formerSecrets])];
  return signWebhook({ id, body, secrets, nowMs }, webhookSigningSchemes);
}
