import { createHmac } from 'node:crypto';
import { standardSignature } from './standard-signature.js';

/** A delivery to sign. */
export interface DeliveryToSign {
  /** Id of the delivery, which all its attempts send as `webhook-id`. */
  readonly id: string;
  /** Bytes of the body. */
  readonly body: Uint8Array;
  /** Secrets to sign with, the current one first. An empty list causes no signature. */
  readonly secrets: readonly string[];
  /** Time of the attempt in milliseconds since the epoch. */
  readonly nowMs: number;
}

/**
 * A signature header that contains an HMAC of the body. The key consists of the secret's UTF-8 bytes. The signature does
 * not cover the time, so that receivers cannot refuse replays by it.
 */
export interface SignatureHeader {
  /** Name of the header, such as `x-hook-signature`. */
  readonly header: string;
  readonly algorithm: 'sha1' | 'sha256' | 'sha384' | 'sha512';
  readonly encoding: 'hex' | 'base64';
  /** Text before each signature, such as `sha256=`. Default: no text. */
  readonly prefix?: string;
  /**
   * Text between the signatures of several secrets during a rotation. Default: undefined, and only the current secret
   * signs.
   */
  readonly separator?: string;
}

/**
 * Scheme of signature headers: `standard` for Standard Webhooks, the description of one header, or a function that returns
 * headers by name. The function gets at least one secret.
 */
export type SigningScheme = 'standard' | SignatureHeader | ((delivery: DeliveryToSign) => Record<string, string>);

/** Scheme of the header `webhook-signature` only. */
export const standardWebhooksSchemes: readonly SigningScheme[] = ['standard'];

/**
 * Returns the headers by which a receiver verifies a delivery, by lower-case name: `webhook-id`, `webhook-timestamp` in
 * seconds since the epoch, and the headers of the schemes. With several secrets, `webhook-signature` contains one
 * signature for each, in their order, separated by spaces. Without secrets there are no signatures.
 */
export function signWebhook(
  delivery: DeliveryToSign,
  schemes: readonly SigningScheme[] = standardWebhooksSchemes,
): Record<string, string> {
  const signed =
    delivery.secrets.length === 0 ? [] : schemes.map((scheme) => createSignatureHeadersOfScheme(delivery, scheme));
  const headers = signed.flatMap((one) => Object.entries(one)).map(([name, value]) => [name.toLowerCase(), value]);
  return { ...Object.fromEntries(headers), 'webhook-id': delivery.id, 'webhook-timestamp': getUnixTimestamp(delivery) };
}

const getUnixTimestamp = ({ nowMs }: DeliveryToSign): string => String(Math.floor(nowMs / 1000));

function createSignatureHeadersOfScheme(delivery: DeliveryToSign, scheme: SigningScheme): Record<string, string> {
  if (typeof scheme === 'function') return scheme(delivery);
  const { id, body, secrets } = delivery;
  if (scheme === 'standard') {
    const content = { id, body, timestamp: getUnixTimestamp(delivery) };
    return { 'webhook-signature': secrets.map((secret) => standardSignature(content, secret)).join(' ') };
  }
  const { header, separator } = scheme;
  const signing = separator === undefined ? secrets.slice(0, 1) : secrets;
  return { [header]: signing.map((secret) => signDelivery(body, secret, scheme)).join(separator ?? '') };
}

/** Returns the signature of a body by one secret, in the form of a signature header. */
export function signDelivery(
  body: Uint8Array,
  secret: string,
  { algorithm, encoding, prefix = '' }: Pick<SignatureHeader, 'algorithm' | 'encoding' | 'prefix'>,
): string {
  return prefix + createHmac(algorithm, Buffer.from(secret, 'utf8')).update(body).digest(encoding);
}
