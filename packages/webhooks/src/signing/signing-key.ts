import { randomBytes } from 'node:crypto';

const encodedWebhookSecretPattern = /^whsec_([A-Za-z0-9+/]+={0,2})$/;

/** Size of a generated signing key in bytes. The Standard Webhooks specification requires 24 to 64 bytes. */
const generatedSigningKeySizeBytes = 32;

/** Returns a new secret of 32 random bytes in the form `whsec_<base64>` of the Standard Webhooks specification. */
export function generateWebhookSecret(): string {
  return `whsec_${randomBytes(generatedSigningKeySizeBytes).toString('base64')}`;
}

/**
 * Returns the number of bytes of the key in a secret `whsec_<base64>`, or null for a secret of another form. The base64
 * text must be padded.
 */
export function getWebhookSecretKeyLength(secret: string): number | null {
  const encoded = encodedWebhookSecretPattern.exec(secret)?.[1];
  if (encoded === undefined) return null;
  const key = Buffer.from(encoded, 'base64');
  return key.toString('base64') === encoded ? key.length : null;
}

/**
 * Returns the HMAC key of a secret for Standard Webhooks. The key is the decoded bytes of a secret `whsec_<base64>`, or
 * the UTF-8 bytes of any other secret.
 */
export function decodeSigningKey(secret: string): Buffer {
  const encoded = encodedWebhookSecretPattern.exec(secret)?.[1];
  const decoded = Buffer.from(encoded ?? '', 'base64');
  return decoded.length === 0 ? Buffer.from(secret, 'utf8') : decoded;
}
