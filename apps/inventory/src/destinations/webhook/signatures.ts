import { signWebhook, type SignatureHeader, type SigningScheme } from '@switchboard/webhooks';

/** Parts of a webhook delivery that its signatures cover, and the secrets to sign with. */
export interface SignedDelivery {
  /** Id of the delivery. All its attempts send the same id, so that receivers can drop duplicates. */
  readonly deliveryId: string;
  /** Bytes of the request body that is signed. */
  readonly body: Buffer;
  /** Current secret of the webhook; '' for no signature. */
  readonly secret: string;
  /** Replaced secrets of the webhook that are still valid, newest first. */
  readonly formerSecrets?: readonly string[];
  /** Time of this delivery attempt in milliseconds since the epoch. */
  readonly nowMs: number;
}

/** Names of the signature headers, which are not sent to another host after a redirect. */
export const signatureHeaderNames = ['x-hook-signature', 'webhook-signature'] as const;

/** Names of the headers of a delivery that a webhook's additional headers cannot replace. */
export const deliveryHeaderNames: readonly string[] = [...signatureHeaderNames, 'webhook-id', 'webhook-timestamp'];

/** Scheme of the header `X-Hook-Signature`: the lower-case hexadecimal HMAC-SHA512 of the body. */
export const hexadecimalBodySignature: SignatureHeader = {
  header: 'x-hook-signature',
  algorithm: 'sha512',
  encoding: 'hex',
};

const webhookSigningSchemes: readonly SigningScheme[] = ['standard', hexadecimalBodySignature];

/**
 * Returns the headers of a delivery with two signatures of the same body (docs/contract/inventory.md 5.4, and the
 * Standard Webhooks specification). `x-hook-signature` is the hexadecimal HMAC-SHA512 of the body. `webhook-signature`
 * is `v1,` and the base64 HMAC-SHA256 of `<id>.<timestamp>.<body>`, with which receivers can also reject replays.
 *
 * The key consists of the secret's UTF-8 bytes. As that specification requires, a secret `whsec_<base64>` is decoded
 * for the second signature.
 *
 * While former secrets are valid, `webhook-signature` contains one signature for each, newest first, separated by
 * spaces. `x-hook-signature` has room for one and uses the current secret.
 */
export function signatureHeaders(delivery: SignedDelivery): Readonly<Record<string, string>> {
  const { deliveryId: id, body, secret, formerSecrets = [], nowMs } = delivery;
  const secrets = secret === '' ? [] : [...new Set([secret, ...formerSecrets])];
  return signWebhook({ id, body, secrets, nowMs }, webhookSigningSchemes);
}
