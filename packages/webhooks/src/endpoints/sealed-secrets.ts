import { UndeliverableError } from '../engine/undeliverable-error.js';

/**
 * Encryption of secrets at rest. `SecretBox` of `@switchboard/auth` implements it. Both texts are needed to decrypt: the
 * result of `seal` and the same associated data.
 */
export interface SecretSealer {
  seal(plaintext: string, associatedData: string): string;
  open(sealed: string, associatedData: string): string;
}

/** Secrets of an endpoint as stored. */
export interface StoredSecrets {
  /** Encrypted current secret. */
  readonly secret: string;
  /** Encrypted earlier secrets, newest first. `expires` is the time until which each signs, in ms since the epoch. */
  readonly formerSecrets: readonly { readonly secret: string; readonly expires: number }[];
}

/**
 * Returns the associated data with which the secrets of an endpoint are encrypted. An encrypted secret that is copied to
 * another endpoint cannot be decrypted there.
 */
export function endpointSecretPurpose(endpointId: string): string {
  return `webhooks:endpoint:${endpointId}:secret`;
}

/** Encrypts the secret of an endpoint. */
export function sealSecret(sealer: SecretSealer, endpointId: string, secret: string): string {
  return sealer.seal(secret, endpointSecretPurpose(endpointId));
}

/**
 * Decrypts the secrets that sign a delivery: the current secret, then earlier secrets that have not expired.
 *
 * @throws UndeliverableError if a secret cannot be decrypted
 */
export function openSecrets(
  sealer: SecretSealer,
  endpointId: string,
  { secret, formerSecrets }: StoredSecrets,
  nowMs: number,
): string[] {
  const valid = formerSecrets.filter(({ expires }) => nowMs < expires);
  try {
    return [secret, ...valid.map((former) => former.secret)].map((one) =>
      sealer.open(one, endpointSecretPurpose(endpointId)),
    );
  } catch (cause) {
    throw new UndeliverableError('The secret of the endpoint could not be decrypted.', { cause });
  }
}
