import { createHmac } from 'node:crypto';
import { decodeSigningKey } from './signing-key.js';

/** Parts of a delivery that its Standard Webhooks signature covers. */
export interface StandardContent {
  /** Value of the header `webhook-id`. It contains no dot. */
  readonly id: string;
  /** Value of the header `webhook-timestamp`: decimal seconds since the epoch. */
  readonly timestamp: string;
  /** Bytes of the body. */
  readonly body: Uint8Array;
}

/**
 * Returns the symmetric signature of the Standard Webhooks specification: `v1,` and the base64 HMAC-SHA256 of
 * `<id>.<timestamp>.<body>`.
 */
export function standardSignature({ id, timestamp, body }: StandardContent, secret: string): string {
  const hmac = createHmac('sha256', decodeSigningKey(secret)).update(`${id}.${timestamp}.`, 'utf8').update(body);
  return `v1,${hmac.digest('base64')}`;
}
