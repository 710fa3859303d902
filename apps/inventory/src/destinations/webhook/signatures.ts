import { createHmac } from 'node:crypto';

/** Headers by which a receiver authenticates requests and identifies deliveries. */
export type SignatureHeaders = Readonly<Record<string, string>>;

/** The signed parts of a delivery. */
export interface SignedDelivery {
  /** Id of the delivery, the same for every attempt, so that receivers can drop duplicates. */
  readonly deliveryId: string;
  /** The exact bytes that are sent. */
  readonly body: Buffer;
  /** `''` signs nothing. */
  readonly secret: string;
  /** Earlier secrets that are still valid, newest first. */
  readonly formerSecrets?: readonly string[];
  /** Time of this attempt, milliseconds since 1970. */
  readonly nowMs: number;
}

/** Headers that must not follow a redirect to another host. */
export const signatureHeaderNames = ['x-hook-signature', 'webhook-signature'] as const;

/** Headers that are ours alone: additional headers of a webhook cannot replace them. */
export const deliveryHeaderNames: readonly string[] = [...signatureHeaderNames, 'webhook-id', 'webhook-timestamp'];

const base64Secret = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/**
 * Two signatures over the same body (docs/contract/inventory.md 5.4, and the Standard Webhooks specification):
 * `x-hook-signature` is the hexadecimal HMAC-SHA512 of the body; `webhook-signature` is `v1,` and the base64
 * HMAC-SHA256 of `<id>.<timestamp>.<body>`, which a receiver can also use to refuse replays.
 *
 * The key is the secret's UTF-8 bytes; a secret of the form `whsec_<base64>` represents the decoded bytes in the second
 * signature, as that specification has it.
 *
 * While former secrets are valid `webhook-signature` holds one signature by each, the newest first, with a space
 * between them; `x-hook-signature`, which can contain only one, is by the new secret.
 */
export function signatureHeaders(delivery: SignedDelivery): SignatureHeaders {
  const { deliveryId, body, secret, formerSecrets = [], nowMs } = delivery;
  const timestamp = String(Math.floor(nowMs / 1000));
  const identity = { 'webhook-id': deliveryId, 'webhook-timestamp': timestamp };
  if (secret === '') return identity;
  const secrets = [...new Set([secret, ...formerSecrets])];
  const signed = Buffer.concat([Buffer.from(`${deliveryId}.${timestamp}.`, 'utf8'), body]);
  return {
    ...identity,
    'webhook-signature': secrets.map((one) => standardSignature(signed, one)).join(' '),
    'x-hook-signature': hookSignature(body, secret),
  };
}

function standardSignature(signed: Buffer, secret: string): string {
  return `v1,${createHmac('sha256', standardKey(secret)).update(signed).digest('base64')}`;
}

/** Lower-case hexadecimal HMAC-SHA512 of a body with the secret's UTF-8 bytes. */
export function hookSignature(body: Buffer, secret: string): string {
  return createHmac('sha512', Buffer.from(secret, 'utf8')).update(body).digest('hex');
}

function standardKey(secret: string): Buffer {
  const encoded = base64Secret.exec(secret)?.[1];
  return encoded === undefined ? Buffer.from(secret, 'utf8') : Buffer.from(encoded, 'base64');
}
