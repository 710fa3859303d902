import { Pepper, SecretBox } from '@switchboard/auth';
import type { InventoryConfig } from '../config.js';

/** Keys of the service: for encryption of secrets, and for digests of tokens. */
export interface KeyRing {
  readonly box: SecretBox;
  readonly pepper: Pepper;
}

/**
 * Creates the key ring from the configuration.
 *
 * @throws KeyMaterialError if a configured key or pepper is invalid
 */
export function openKeyRing(config: Pick<InventoryConfig, 'SECRET_ENCRYPTION_KEYS' | 'SECRET_PEPPERS'>): KeyRing {
  const [current] = config.SECRET_ENCRYPTION_KEYS;
  return {
    box: new SecretBox({ keys: Object.fromEntries(config.SECRET_ENCRYPTION_KEYS), current: current?.[0] ?? '' }),
    pepper: new Pepper(Object.fromEntries(config.SECRET_PEPPERS)),
  };
}
