import { type ServiceKeysAndPeppers, PepperedSecretDigester, SecretTextEncryptor } from '@switchboard/auth';
import type { ChatConfig } from '../config.js';

/** Environment variables with peppers, which are secret values added to digests. */
export type PepperEnvironmentVariables = Pick<ChatConfig, 'SECRET_PEPPERS' | 'SECRET_PEPPER_CURRENT'>;

/**
 * Returns the keys with which the service encrypts and digests secrets. The first configured key is used for
 * encryption, and all keys for decryption.
 *
 * @throws KeyMaterialError if a configured key or pepper is invalid
 */
export function createServiceKeys(
  config: PepperEnvironmentVariables & Pick<ChatConfig, 'SECRET_ENCRYPTION_KEYS'>,
): ServiceKeysAndPeppers {
  const [first] = config.SECRET_ENCRYPTION_KEYS;
  const box = new SecretTextEncryptor({
    keys: Object.fromEntries(config.SECRET_ENCRYPTION_KEYS),
    current: first?.[0] ?? '',
  });
  return { box, pepper: createPepperFromConfig(config) };
}

/**
 * Returns an object with the configured peppers, which are secret values added to digests.
 *
 * @throws KeyMaterialError
 */
export function createPepperFromConfig({
  SECRET_PEPPERS: peppers,
  SECRET_PEPPER_CURRENT: currentId,
}: PepperEnvironmentVariables): PepperedSecretDigester {
  return new PepperedSecretDigester(Object.fromEntries(peppers), { currentId });
}
