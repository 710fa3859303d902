import { createHash } from 'node:crypto';
import { Pepper, SecretBox } from '@switchboard/auth';

const deriveSecret = (name: string): Buffer => createHash('sha256').update(`scale test: ${name}`).digest();
const encryptionKey = deriveSecret('encryption').toString('base64');
const pepperText = deriveSecret('pepper').toString('hex');

/**
 * Secrets of the services under test. They are the same in every run, because filled databases are used by several
 * runs.
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

/** Returns a credential of 32 hexadecimal digits that depends only on its name. */
export function credentialOf(name: string): string {
  return deriveSecret(name).toString('hex').slice(0, 32);
}
