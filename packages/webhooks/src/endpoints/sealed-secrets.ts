import { UndeliverableError } from '../engine/undeliverable-error.js';

/**
 * Encryption of secrets at rest. `SecretTextEncryptor` of `@switchboard/auth` implements it. A decryption needs the result of
 * `seal` and the associated data that was passed to `seal`.
 */
export interface SecretEncryption {
  seal(plaintext: string, associatedData: string): string;
  open(sealed: string, associatedData: string): string;
}

/** Encrypted secrets of an endpoint, in the stored form. */
export interface EncryptedEndpointSecrets {
  /** Encrypted current secret of the endpoint. */
  readonly secret: string;
  /**
   * Encrypted earlier secrets of the endpoint, newest first. `expires` is the time until which requests are signed with
   * the secret, in milliseconds since 1970.
   */
  readonly formerSecrets: readonly { readonly secret: string; readonly expires: number }[];
}

/**
 * Returns the associated data with which the secrets of an endpoint are encrypted. Because of this data, an encrypted
 * secret that is copied to another endpoint cannot be decrypted.
 */
export function endpointSecretPurpose(endpointId: string): string {
  return `webhooks:endpoint:${endpointId}:secret`;
}

/** Encrypts the secret of an endpoint for storage. */
export function encryptEndpointSecret(sealer: SecretEncryption, endpointId: string, secret: string): string {
  return sealer.seal(secret, endpointSecretPurpose(endpointId));
}

/**
 * Decrypts the secrets with which the request of a delivery is signed: the current secret, then earlier secrets that
 * have not expired.
 *
 * @throws UndeliverableError if a secret cannot be decrypted
 */
export function decryptEndpointSecrets(
  sealer: SecretEncryption,
  endpointId: string,
  { secret, formerSecrets }: EncryptedEndpointSecrets,
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
