import { createCipheriv, createDecipheriv, randomBytes } from 'node:crypto';
import { KeyMaterialError } from './key-material-error.js';

const cipherAlgorithm = 'aes-256-gcm';
const encryptedTextFormatVersion = 'v1';
const encryptionKeyBytes = 32;
const initializationVectorBytes = 12;
const authenticationTagBytes = 16;
const encryptionKeyIdPattern = /^[A-Za-z0-9_-]{1,64}$/;
const base64urlPattern = /^[A-Za-z0-9_-]*$/;

/** Reason why {@link SecretTextEncryptor} could not decrypt an encrypted text. */
export type TextDecryptionFault =
  /** The encrypted text does not have the format that {@link SecretTextEncryptor.seal} writes. */
  | 'malformed'
  /** No key with the id in the encrypted text is configured. */
  | 'unknown_key'
  /**
   * Authentication of the encrypted text failed: the text, the key or the associated data differs from the original.
   */
  | 'rejected';

/** Error for an encrypted text that could not be decrypted. The message never contains key material or plaintext. */
export class SecretTextDecryptionError extends Error {
  override readonly name = 'SecretTextDecryptionError';

  constructor(
    readonly fault: TextDecryptionFault,
    message: string,
    options?: ErrorOptions,
  ) {
    super(message, options);
  }
}

/** Keys for {@link SecretTextEncryptor}: all keys that decrypt texts, and the id of the key that encrypts new texts. */
export interface SecretTextEncryptorOptions {
  /**
   * Encryption keys by id. Each key is the base64 text of exactly 32 random bytes. An id consists of 1 to 64 letters,
   * digits, `-` or `_`.
   */
  readonly keys: Readonly<Record<string, string>>;
  /** Id of the encryption key for new secrets. */
  readonly current: string;
}

/**
 * Encrypts secrets that must be readable again (API keys, webhook secrets) with AES-256-GCM (NIST SP 800-38D). An
 * encrypted text has the form `v1.<keyId>.<iv>.<ciphertext>.<tag>`; the last three parts are base64url. The header and
 * the associated data are authenticated. The caller passes the owner of the secret as associated data
 * (`chat:user:12:api_key`). An encrypted text that was copied into another row can therefore not be decrypted in that
 * row. Each encryption uses a random 96-bit iv. Operators must rotate the key long before 2^32 encryptions.
 */
export class SecretTextEncryptor {
  readonly #keys: ReadonlyMap<string, Buffer>;
  readonly #current: string;
  readonly #currentKey: Buffer;

  /**
   * Checks the ids and the keys. @throws KeyMaterialError when an id or a key has an invalid form, or the current id
   *   has no key
   */
  constructor({ keys, current }: SecretTextEncryptorOptions) {
    this.#keys = new Map(Object.entries(keys).map(([id, encoded]) => [id, decodeEncryptionKey(id, encoded)]));
    const currentKey = this.#keys.get(current);
    if (!currentKey) throw new KeyMaterialError(`There is no encryption key with the current id "${current}"`);
    this.#current = current;
    this.#currentKey = currentKey;
  }

  /** Id of the key that encrypts new texts. */
  get currentKeyId(): string {
    return this.#current;
  }

  /** Ids of all configured encryption keys. */
  get keyIds(): readonly string[] {
    return [...this.#keys.keys()];
  }

  /**
   * Encrypts a text with the current key and returns the encrypted text. Decryption needs the same associated data
   * (`aad`).
   */
  seal(plaintext: string, aad: string): string {
    return encryptWithAes(plaintext, { keyId: this.#current, key: this.#currentKey, aad });
  }

  /**
   * Encrypts a text with the key of an id. Decryption needs the same `aad`.
   *
   * @throws SecretTextDecryptionError `unknown_key`
   */
  sealWith(keyId: string, plaintext: string, aad: string): string {
    return encryptWithAes(plaintext, { keyId, key: this.#getKey(keyId), aad });
  }
  /**
   * Decrypts a text that {@link seal} encrypted with the same associated data (`aad`).
   *
   * @throws SecretTextDecryptionError `malformed`, `unknown_key`, or `rejected` when the text was changed or `aad` differs
   */
  open(sealed: string, aad: string): string {
    const { keyId, iv, ciphertext, tag } = parseEncryptedText(sealed);
    const key = this.#getKey(keyId);
    try {
      const decipher = createDecipheriv(cipherAlgorithm, key, iv, { authTagLength: authenticationTagBytes });
      decipher.setAAD(createAesAssociatedData(`${encryptedTextFormatVersion}.${keyId}`, aad));
      decipher.setAuthTag(tag);
      return Buffer.concat([decipher.update(ciphertext), decipher.final()]).toString('utf8');
    } catch (cause) {
      throw new SecretTextDecryptionError('rejected', 'The sealed text does not belong here or was changed', { cause });
    }
  }

  /**
   * Decrypts an encrypted text and encrypts it with the current key, for the rotation of keys row by row. Returns the
   * newly encrypted text. Returns null if the text is already encrypted with the current key.
   *
   * @throws SecretTextDecryptionError like {@link open}
   */
  reencryptWithCurrentKey(sealed: string, aad: string): string | null {
    if (parseEncryptedText(sealed).keyId === this.#current) return null;
    return this.seal(this.open(sealed, aad), aad);
  }

  #getKey(id: string): Buffer {
    const key = this.#keys.get(id);
    if (!key) throw new SecretTextDecryptionError('unknown_key', `No encryption key with id "${id}" is configured`);
    return key;
  }
}

/** Returns the id of the key with which a text is encrypted, or null if the text is not encrypted. */
export function findEncryptionKeyIdOfText(text: string): string | null {
  try {
    return parseEncryptedText(text).keyId;
  } catch (error) {
    if (error instanceof SecretTextDecryptionError) return null;
    throw error;
  }
}

function encryptWithAes(
  plaintext: string,
  { keyId, key, aad }: { readonly keyId: string; readonly key: Buffer; readonly aad: string },
): string {
  const iv = randomBytes(initializationVectorBytes);
  const header = `${encryptedTextFormatVersion}.${keyId}`;
  const cipher = createCipheriv(cipherAlgorithm, key, iv, { authTagLength: authenticationTagBytes });
  cipher.setAAD(createAesAssociatedData(header, aad));
  const ciphertext = Buffer.concat([cipher.update(plaintext, 'utf8'), cipher.final()]);
  return [header, ...[iv, ciphertext, cipher.getAuthTag()].map((part) => part.toString('base64url'))].join('.');
}

function decodeEncryptionKey(id: string, encoded: string): Buffer {
  if (!encryptionKeyIdPattern.test(id)) {
    throw new KeyMaterialError(`Encryption key id "${id}" must be 1 to 64 letters, digits, "-" or "_"`);
  }
  const key = Buffer.from(encoded, 'base64');
  if (key.length !== encryptionKeyBytes) {
    throw new KeyMaterialError(
      `Encryption key "${id}" must be base64 of ${encryptionKeyBytes} bytes, not of ${key.length}`,
    );
  }
  return key;
}

function createAesAssociatedData(header: string, aad: string): Buffer {
  return Buffer.from(`${header}\0${aad}`, 'utf8');
}

function parseEncryptedText(sealed: string): { keyId: string; iv: Buffer; ciphertext: Buffer; tag: Buffer } {
  const [seen, keyId, ivText, ciphertextText, tagText, ...rest] = sealed.split('.');
  const malformed = new SecretTextDecryptionError(
    'malformed',
    'The sealed text is not of the form v1.<key>.<iv>.<text>.<tag>',
  );
  if (
    seen !== encryptedTextFormatVersion ||
    keyId === undefined ||
    !encryptionKeyIdPattern.test(keyId) ||
    rest.length > 0
  )
    throw malformed;
  if (ivText === undefined || ciphertextText === undefined || tagText === undefined) throw malformed;
  if (![ivText, ciphertextText, tagText].every((part) => base64urlPattern.test(part))) throw malformed;
  const iv = Buffer.from(ivText, 'base64url');
  const tag = Buffer.from(tagText, 'base64url');
  if (iv.length !== initializationVectorBytes || tag.length !== authenticationTagBytes) throw malformed;
  return { keyId, iv, ciphertext: Buffer.from(ciphertextText, 'base64url'), tag };
}
