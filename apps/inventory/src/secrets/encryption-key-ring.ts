import { type ServiceKeysAndPeppers, PepperedSecretDigester, SecretTextEncryptor } from '@switchboard/auth';
import type { InventoryConfig } from '../config.js';

/** Environment variables that contain the encryption keys and the peppers (secret keys of digests). */
export type EncryptionKeyConfig = Pick<
  InventoryConfig,
  'SECRET_ENCRYPTION_KEYS' | 'SECRET_PEPPERS' | 'SECRET_PEPPER_CURRENT'
>;

/**
 * Creates the key ring from the configuration.
 *
 * @throws KeyMaterialError if a configured key or pepper is invalid
 */
export function createServiceKeyRing(config: EncryptionKeyConfig): ServiceKeysAndPeppers {
  const [current] = config.SECRET_ENCRYPTION_KEYS;
  return {
    box: new SecretTextEncryptor({
      keys: Object.fromEntries(config.SECRET_ENCRYPTION_KEYS),
      current: current?.[0] ?? '',
    }),
    pepper: new PepperedSecretDigester(Object.fromEntries(config.SECRET_PEPPERS), {
      currentId: config.SECRET_PEPPER_CURRENT,
    }),
  };
}
