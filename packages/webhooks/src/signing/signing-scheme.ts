import { createHmac } from 'node:crypto';
import { createStandardWebhooksSignature } from './standard-signature.js';

/** A webhook delivery whose request must be signed. */
export interface WebhookDeliveryToSign {
  /** Id of the delivery. All attempts send the id in the header `webhook-id`. */
  readonly id: string;
  /** Bytes of the delivery's request body. */
  readonly body: Uint8Array;
  /**
   * Secrets with which the request is signed, the current secret first. With an empty list, the request has no
   * signature.
   */
  readonly secrets: readonly string[];
  /** Time of the delivery attempt in milliseconds since 1970. */
  readonly nowMs: number;
}

/**
 * Description of a signature header that contains an HMAC of the body. The HMAC key consists of the secret's UTF-8
 * bytes. The signature does not cover the time, so receivers cannot detect replayed requests.
 */
export interface SignatureHeaderScheme {
  /** Name of the signature header, such as `x-hook-signature`. */
  readonly header: string;
  readonly algorithm: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  readonly encoding: 'hex' | 'base64';
  /** Text before each signature in the header, such as `sha256=`. Default: no text. */
  readonly prefix?: string;
  /**
   * Text between the signatures by several secrets, during a replacement of the secret. Default: undefined, and the
   * header contains only the signature by the current secret.
   */
  readonly separator?: string;
}

/**
 * Scheme that determines the signature headers of a request. `standard` means Standard Webhooks. Other schemes are a
 * description of one header, or a function that returns headers by name and receives at least one secret.
 */
export type WebhookSigningScheme =
  | 'standard'
  | SignatureHeaderScheme
  | ((delivery: WebhookDeliveryToSign) => Record<string, string>);

/** Signing schemes with only the Standard Webhooks scheme, which sends the header `webhook-signature`. */
export const standardWebhooksSchemes: readonly WebhookSigningScheme[] = ['standard'];

/**
 * Returns the headers with which a receiver verifies a delivery, by lower-case name. The headers are `webhook-id`,
 * `webhook-timestamp` in seconds since 1970, and the headers of the schemes. With several secrets, `webhook-signature`
 * contains one signature for each secret, in order, separated by spaces. If the delivery has no secrets, the signature
 * headers are omitted.
 */
export function signWebhook(
  delivery: WebhookDeliveryToSign,
  schemes: readonly WebhookSigningScheme[] = standardWebhooksSchemes,
): Record<string, string> {
  const signed =
    delivery.secrets.length === 0 ? [] : schemes.map((scheme) => createSignatureHeadersOfScheme(delivery, scheme));
  const headers = signed.flatMap((one) => Object.entries(one)).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...Object.fromEntries(headers), 'webhook-id': delivery.id, 'webhook-timestamp': getUnixTimestamp(delivery) };
}

const getUnixTimestamp = ({ nowMs }: WebhookDeliveryToSign): string => String(Math.floor(nowMs / 1000));

function createSignatureHeadersOfScheme(
  delivery: WebhookDeliveryToSign,
  scheme: WebhookSigningScheme,
): Record<string, string> {
  if (typeof scheme === 'function') return scheme(delivery);
  const { id, body, secrets } = delivery;
  if (scheme === 'standard') {
    const content = { id, body, timestamp: getUnixTimestamp(delivery) };
    return { 'webhook-signature': secrets.map((secret) => createStandardWebhooksSignature(content, secret)).join(' ') };
  }
  const { header, separator } = scheme;
  const signing = separator === undefined ? secrets.slice(0, 1) : secrets;
  return { [header]: signing.map((secret) => createDeliverySignature(body, secret, scheme)).join(separator ?? '') };
}

/** Returns the signature of a body by one secret, in the format of the described signature header. */
export function createDeliverySignature(
  body: Uint8Array,
  secret: string,
  { algorithm, encoding, prefix = '' }: Pick<SignatureHeaderScheme, 'algorithm' | 'encoding' | 'prefix'>,
): string {
  return prefix + createHmac(algorithm, Buffer.from(secret, 'utf8')).update(body).digest(encoding);
}
