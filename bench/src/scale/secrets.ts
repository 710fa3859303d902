import { createHash } from 'node:crypto';
import { Pepper, SecretBox } from '@switchboard/auth';

const derived = (name: string): Buffer => createHash('sha256').update(`scale test: ${name}`).digest();
const encryptionKey = derived('encryption').toString('base64');
const pepperText = derived('pepper').toString('hex');

/** Secrets of the services under test. They are the same in every run, for filled databases outlive a run. */
export const secretEnv = {
  SECRET_ENCRYPTION_KEYS: `1:${encryptionKey}`,
  SECRET_PEPPERS: `1:${pepperText}`,
} as const;

/** The keys that the services seal and digest credentials with. */
export const credentialKeys = {
  box: new SecretBox({ keys: { 1: encryptionKey }, current: '1' }),
  pepper: new Pepper({ 1: pepperText }),
};

/** A credential of 32 letters and digits that follows from its name. */
export function credentialOf(name: string): string {
  return derived(name).toString('hex').slice(0, 32);
}
