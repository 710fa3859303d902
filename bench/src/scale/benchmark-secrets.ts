import { createHash } from 'node:crypto';
import { Pepper, SecretBox } from '@switchboard/auth';

const deriveSecret = (name: string): Buffer => createHash('sha256').update(`scale test: ${name}`).digest();
const encryptionKey = deriveSecret('encryption').toString('base64');
const pepperText = deriveSecret('pepper').toString('hex');

/**
 * Environment variables with the secrets of the measured services. The secrets are the same in every run, because
 * several runs use one filled database.
 */
export const secretEnv = {
  SECRET_ENCRYPTION_KEYS: `1:${encryptionKey}`,
  SECRET_PEPPERS: `1:${pepperText}`,
} as const;

/** Keys with which the services encrypt secrets and hash credentials. */
export const credentialKeys = {
  box: new SecretBox({ keys: { 1: encryptionKey }, current: '1' }),
  pepper: new Pepper({ 1: pepperText }),
};

/** Returns a credential of 32 hexadecimal digits that is derived from its name only. */
export function deriveCredential(name: string): string {
  return deriveSecret(name).toString('hex').slice(0, 32);
}
