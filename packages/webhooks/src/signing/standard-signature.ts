import { createHmac } from 'node:crypto';
import { decodeSigningKey } from './signing-key.js';

/** Parts of a delivery that the Standard Webhooks signature covers. */
export interface StandardSignatureContent {
  /** Value of the header `webhook-id`. The value contains no dot. */
  readonly id: string;
  /** Value of the header `webhook-timestamp`: seconds since 1970 in decimal. */
  readonly timestamp: string;
  /** Bytes of the delivery's request body. */
  readonly body: Uint8Array;
}

/**
 * Returns the symmetric signature that the Standard Webhooks specification defines: `v1,` and the base64 HMAC-SHA256 of
 * `<id>.<timestamp>.<body>`.
 */
export function createStandardWebhooksSignature(
  { id, timestamp, body }: StandardSignatureContent,
  secret: string,
): string {
  const hmac = createHmac('sha256', decodeSigningKey(secret)).update(`${id}.${timestamp}.`, 'utf8').update(body);
  return `v1,${hmac.digest('base64')}`;
}
