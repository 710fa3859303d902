import { type ServiceKeys, Pepper, SecretBox } from '@switchboard/auth';
import type { ChatConfig } from '../config.js';

/** Environment variables with peppers, which are secret values added to digests. */
export type PepperConfig = Pick<ChatConfig, 'SECRET_PEPPERS' | 'SECRET_PEPPER_CURRENT'>;

/**
 * Returns the keys with which the service encrypts and digests secrets. The first configured key is used for
 * encryption, and all keys for decryption.
 *
 * @throws KeyMaterialError if a configured key or pepper is invalid
 */
export function createServiceKeys(config: PepperConfig & Pick<ChatConfig, 'SECRET_ENCRYPTION_KEYS'>): ServiceKeys {
  const [first] = config.SECRET_ENCRYPTION_KEYS;
  const box = new SecretBox({ keys: Object.fromEntries(config.SECRET_ENCRYPTION_KEYS), current: first?.[0] ?? '' });
  return { box, pepper: createPepper(config) };
}

/**
 * Returns an object with the configured peppers, which are secret values added to digests.
 *
 * @throws KeyMaterialError
 */
export function createPepper({ SECRET_PEPPERS: peppers, SECRET_PEPPER_CURRENT: currentId }: PepperConfig): Pepper {
  return new Pepper(Object.fromEntries(peppers), { currentId });
}
