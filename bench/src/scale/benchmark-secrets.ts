import { createHash } from 'node:crypto';
import { PepperedSecretDigester, SecretTextEncryptor } from '@switchboard/auth';

const deriveBenchmarkSecret = (name: string): Buffer => createHash('sha256').update(`scale test: ${name}`).digest();
const benchmarkEncryptionKey = deriveBenchmarkSecret('encryption').toString('base64');
const benchmarkPepperText = deriveBenchmarkSecret('pepper').toString('hex');

/**
 * Environment variables with the secrets of the measured services. The secrets are the same in every run, because
 * several runs use one filled database.
 */
export const secretEnvironmentVariables = {
  SECRET_ENCRYPTION_KEYS: `1:${benchmarkEncryptionKey}`,
  SECRET_PEPPERS: `1:${benchmarkPepperText}`,
} as const;

/** Keys with which the services encrypt secrets and hash credentials. */
export const benchmarkCredentialKeys = {
  box: new SecretTextEncryptor({ keys: { 1: benchmarkEncryptionKey }, current: '1' }),
  pepper: new PepperedSecretDigester({ 1: benchmarkPepperText }),
};

/** Returns a credential of 32 hexadecimal digits that is derived from its name only. */
export function deriveCredentialFromName(name: string): string {
  return deriveBenchmarkSecret(name).toString('hex').slice(0, 32);
}
