/** Module that verifies received webhook requests. This entry point of the package imports only `node:crypto`. */
import { timingSafeEqual } from 'node:crypto';
import { createDeliverySignature, type SignatureHeaderScheme } from './signing/signing-scheme.js';
import { createStandardWebhooksSignature } from './signing/standard-signature.js';
import { WebhookHeaderError, WebhookSignatureError, WebhookTimestampError } from './signing/verification-errors.js';

export {
  WebhookHeaderError,
  WebhookSignatureError,
  WebhookTimestampError,
  WebhookVerificationError,
} from './signing/verification-errors.js';
export type { SignatureHeaderScheme } from './signing/signing-scheme.js';

/** Headers of a received request: an object of Node's `http` module in any letter case, or a Fetch `Headers` object. */
export type WebhookRequestHeaders =
  | { get(name: string): string | null }
  | Readonly<Record<string, string | readonly string[] | undefined>>;

/** Clock of {@link verifyWebhook} and the accepted clock difference. */
export interface WebhookVerificationOptions {
  /**
   * Maximum difference between the time in the request and the time of the receiver's clock, in seconds. Default 300.
   */
  readonly toleranceSeconds?: number;
  /** Function that returns the current time in milliseconds since 1970. Default `Date.now`. */
  readonly now?: () => number;
}

/** Result of {@link verifyWebhook} for a request whose signature is valid. */
export interface VerifiedWebhook {
  /** Id of the webhook delivery. The id is equal for all attempts, so that receivers can drop duplicates. */
  readonly id: string;
  /** Time of the delivery attempt in milliseconds since 1970, with a resolution of one second. */
  readonly timestampMs: number;
}

// A dot in the id would permit the same signature for another split into id, timestamp and body.
const webhookIdPattern = /^[^.\s]{1,256}$/;
const webhookTimestampPattern = /^\d{1,12}$/;

/**
 * Verifies the Standard Webhooks signature of a received request, in constant time. Returns the id and the time of the
 * delivery.
 *
 * @param rawBody received bytes of the body, or the text of these bytes; a body that was parsed and serialized again is
 *   different
 * @param headers headers of the request
 * @param secrets secret or secrets of the webhook; several secrets during a replacement of the secret. A secret
 *   `whsec_<base64>` is decoded, and any other secret is used as UTF-8
 * @throws WebhookHeaderError if a header is missing or malformed
 * @throws WebhookTimestampError if the request is too old, or its time is in the future
 * @throws WebhookSignatureError if no signature matches
 * @throws RangeError if no secret is given, or for an empty secret
 * @throws TypeError for a parsed body
 */
export function verifyWebhook(
  rawBody: string | Uint8Array,
  headers: WebhookRequestHeaders,
  secrets: string | readonly string[],
  { toleranceSeconds = 300, now = Date.now }: WebhookVerificationOptions = {},
): VerifiedWebhook {
  const keys = listSecretsOfOptions(secrets);
  const body = getRawBodyBytes(rawBody);
  const id = readWebhookRequestHeader(headers, 'webhook-id', webhookIdPattern);
  const timestamp = readWebhookRequestHeader(headers, 'webhook-timestamp', webhookTimestampPattern);
  const signatures = readWebhookRequestHeader(headers, 'webhook-signature').split(' ');
  const ageSeconds = now() / 1000 - Number(timestamp);
  if (!(Math.abs(ageSeconds) <= toleranceSeconds)) throw new WebhookTimestampError(ageSeconds, toleranceSeconds);
  const expected = keys.map((secret) => createStandardWebhooksSignature({ id, timestamp, body }, secret));
  if (!containsExpectedSignature(signatures, expected)) throw new WebhookSignatureError();
  return { id, timestampMs: Number(timestamp) * 1000 };
}

/**
 * Verifies a signature header that does not follow Standard Webhooks, in constant time. The signature does not cover
 * the time, so replayed requests are accepted.
 *
 * @throws WebhookHeaderError if the header is missing
 * @throws WebhookSignatureError if no signature matches
 * @throws RangeError if no secret is given, or for an empty secret
 * @throws TypeError for a parsed body
 */
export function verifySignatureHeader(
  rawBody: string | Uint8Array,
  headers: WebhookRequestHeaders,
  secrets: string | readonly string[],
  scheme: SignatureHeaderScheme,
): void {
  const keys = listSecretsOfOptions(secrets);
  const body = getRawBodyBytes(rawBody);
  const value = readWebhookRequestHeader(headers, scheme.header.toLowerCase());
  const signatures = scheme.separator === undefined ? [value] : value.split(scheme.separator);
  const expected = keys.map((secret) => createDeliverySignature(body, secret, scheme));
  if (!containsExpectedSignature(signatures, expected)) throw new WebhookSignatureError();
}

function listSecretsOfOptions(secrets: string | readonly string[]): readonly string[] {
  const list = typeof secrets === 'string' ? [secrets] : secrets;
  if (list.length === 0 || list.includes('')) throw new RangeError('A secret is required to verify a webhook');
  return list;
}

function getRawBodyBytes(rawBody: string | Uint8Array): Uint8Array {
  if (typeof rawBody === 'string') return Buffer.from(rawBody, 'utf8');
  if (rawBody instanceof Uint8Array) return rawBody;
  throw new TypeError('The raw body of the request is required, before it is parsed');
}

/**
 * Returns the value of a header of a received request. The values of a repeated header are joined to one list,
 * separated by spaces.
 */
function readWebhookRequestHeader(headers: WebhookRequestHeaders, name: string, pattern?: RegExp): string {
  const value = isFetchHeaders(headers) ? headers.get(name) : findHeaderIgnoringLetterCase(headers, name);
  if (value === null || value === undefined || value === '') throw new WebhookHeaderError(name, 'missing');
  const text = typeof value === 'string' ? value : value.join(' ');
  if (pattern?.test(text) === false) throw new WebhookHeaderError(name, 'malformed');
  return text;
}

function isFetchHeaders(headers: WebhookRequestHeaders): headers is { get(name: string): string | null } {
  return typeof headers.get === 'function';
}

function findHeaderIgnoringLetterCase(
  headers: Readonly<Record<string, string | readonly string[] | undefined>>,
  name: string,
): string | readonly string[] | undefined {
  return headers[name] ?? Object.entries(headers).find(([key]) => key.toLowerCase() === name)?.[1];
}

/**
 * Returns true if at least one received signature equals an expected signature. Compares all pairs, and takes constant
 * time for each pair.
 */
function containsExpectedSignature(received: readonly string[], expected: readonly string[]): boolean {
  let isFound = false;
  for (const signature of received)
    for (const one of expected) if (areEqualInConstantTime(signature, one)) isFound = true;
  return isFound;
}

function areEqualInConstantTime(one: string, other: string): boolean {
  const [left, right] = [Buffer.from(one, 'utf8'), Buffer.from(other, 'utf8')];
  return left.length === right.length && timingSafeEqual(left, right);
}
