import { createHmac } from 'node:crypto';
import { timingSafeEqualText } from '@switchboard/auth';

/** A request as its sender signed it. */
interface SignedRequest {
  /** Returns a header, or an empty text if the request lacks it. */
  header(name: string): string;
  readonly bytes: Buffer;
}

/** Check of the signature of a sender. The secret is that of the bot. */
export interface SignatureCheck {
  /** Header with the signature. */
  readonly header: string;
  /** Description of the signature for the documentation. */
  readonly description: string;
  /** Label of the secret in forms. */
  readonly label: string;
  isValid(request: SignedRequest, secret: string): boolean;
}

function hmac(algorithm: string, secret: string, ...parts: readonly (string | Buffer)[]): string {
  const digest = createHmac(algorithm, secret);
  for (const part of parts) digest.update(part);
  return digest.digest('hex');
}

/**
 * Defines the check of a header with the hexadecimal HMAC of the body.
 * @param prefix Text before the HMAC, such as `sha256=`.
 */
export function bodySignature(
  header: string,
  { algorithm = 'sha256', prefix = '', label = 'Secret of the webhook' } = {},
): SignatureCheck {
  return {
    header,
    label,
    description: `\`${header}\`: HMAC-${algorithm.toUpperCase()} of the body`,
    isValid(request, secret) {
      const expected = `${prefix}${hmac(algorithm, secret, request.bytes)}`;
      // PagerDuty sends several signatures while a secret is being replaced.
      const sent = request.header(header).slice(0, 2_000).split(',');
      return sent.map((one) => timingSafeEqualText(one.trim(), expected)).some(Boolean);
    },
  };
}
