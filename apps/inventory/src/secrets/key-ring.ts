import { Pepper, SecretBox } from '@switchboard/auth';
import type { InventoryConfig } from '../config.js';

/** Seals and digests secrets. */
export interface KeyRing {
  readonly box: SecretBox;
  readonly pepper: Pepper;
}

/** @throws KeyMaterialError when a configured key or pepper cannot be used */
export function openKeyRing(config: Pick<InventoryConfig, 'SECRET_ENCRYPTION_KEYS' | 'SECRET_PEPPERS'>): KeyRing {
  const [current] = config.SECRET_ENCRYPTION_KEYS;
  return {
    box: new SecretBox({ keys: Object.fromEntries(config.SECRET_ENCRYPTION_KEYS), current: current?.[0] ?? '' }),
    pepper: new Pepper(Object.fromEntries(config.SECRET_PEPPERS)),
  };
}
