import { type SecretTextEncryptor, SecretTextDecryptionError, findEncryptionKeyIdOfText } from '../secret-box.js';
import type { ServiceKeysAndPeppers, RowTextsByColumn, EncryptedColumn } from './stored-secrets.js';

/** New values of a row, and the number of texts in the row that cannot be decrypted. */
export interface EncryptedRowChange {
  /**
   * New value of the column, in which all texts are encrypted with the first key; null if the stored value needs no
   * change.
   */
  readonly value: string | null;
  /**
   * New digest under the current pepper. Null if the stored digest needs no change, or if the digest cannot be
   * computed.
   */
  readonly digest: string | null;
  readonly unreadable: number;
}

/** Key under which a row that was read contains its stored digest. */
export const storedDigestColumnAlias = 'stored digest';

/**
 * Returns the regular expression that matches encrypted texts in a JSON value. The expression is valid in JavaScript
 * and in PostgreSQL.
 */
export function createEncryptedJsonTextPattern(property: string): string {
  // Quotes within a string of JSON are escaped, so that no text of a client matches.
  return String.raw`"${property}": ?"(v1\.[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_.-]+)"`;
}

/** Returns the parts of a stored column value that may be encrypted texts. */
export function listEncryptedTexts({ json }: EncryptedColumn, value: string): string[] {
  if (json === undefined) return value === '' ? [] : [value];
  return [...value.matchAll(new RegExp(createEncryptedJsonTextPattern(json.property), 'g'))].map(
    ([, text = '']) => text,
  );
}

/** Returns the new values of a row under the first key and the current pepper. A value that needs no change is null. */
export function computeEncryptedRowChange(
  column: EncryptedColumn,
  { box, pepper }: ServiceKeysAndPeppers,
  row: RowTextsByColumn,
): EncryptedRowChange {
  const stored = row[column.column] ?? '';
  const purpose = column.purpose(row);
  const replacements = new Map<string, string>();
  let plaintext: string | null = null;
  let unreadable = 0;
  for (const text of listEncryptedTexts(column, stored)) {
    const keyId = findEncryptionKeyIdOfText(text);
    if (keyId === null) continue;
    const opened = decryptTextOrNull(box, text, purpose);
    if (opened === null) unreadable += 1;
    else if (keyId !== box.currentKeyId) replacements.set(text, box.seal(opened, purpose));
    plaintext = opened;
  }
  const value = [...replacements].reduce((result, [text, sealed]) => result.replaceAll(text, sealed), stored);
  const digested = plaintext === null ? undefined : column.digest?.digestedText(plaintext, row);
  const digest = digested === undefined ? null : pepper.digestUnderCurrentPepper(digested).digest;
  return {
    value: value === stored ? null : value,
    digest: digest === row[storedDigestColumnAlias] ? null : digest,
    unreadable,
  };
}

/**
 * Returns the number of the pepper with which the digest of a row was computed. Returns null if no configured pepper
 * matches the digest. Returns undefined if the row has no text that can be decrypted.
 */
export function findPepperId(
  column: EncryptedColumn,
  { box, pepper }: ServiceKeysAndPeppers,
  row: RowTextsByColumn,
): number | null | undefined {
  const [text] = listEncryptedTexts(column, row[column.column] ?? '');
  const plaintext = text === undefined ? null : decryptTextOrNull(box, text, column.purpose(row));
  if (plaintext === null || column.digest === undefined) return undefined;
  const digests = pepper.digestUnderAllPeppers(column.digest.digestedText(plaintext, row));
  return digests.find(({ digest }) => digest === row[storedDigestColumnAlias])?.pepperId ?? null;
}

/**
 * Decrypts an encrypted text and returns the plaintext. Returns null if the text is not encrypted, or if no configured
 * key can decrypt the text.
 */
export function decryptTextOrNull(box: SecretTextEncryptor, text: string, purpose: string): string | null {
  try {
    return box.open(text, purpose);
  } catch (error) {
    if (error instanceof SecretTextDecryptionError) return null;
    throw error;
  }
}
