import { type SecretBox, SecretBoxError, findSealedKeyId } from '../secret-box.js';
import type { ServiceKeys, SealedRowTexts, SealedColumn } from './stored-secrets.js';

/** New values of a row, and the number of its texts that cannot be decrypted. */
export interface SealedRowChange {
  /** Value of the column with all texts under the current key; null if the stored value is current. */
  readonly value: string | null;
  /** Digest under the current pepper; null if the stored digest is current, or cannot be computed. */
  readonly digest: string | null;
  readonly unreadable: number;
}

/** Name under which a row contains its stored digest. */
export const storedDigestColumn = 'stored digest';

/** Returns the regular expression of the encrypted texts in a JSON value, valid in JavaScript and in PostgreSQL. */
export function createSealedJsonPattern(property: string): string {
  // Quotes within a string of JSON are escaped, so that no text of a client matches.
  return String.raw`"${property}": ?"(v1\.[A-Za-z0-9_-]{1,64}\.[A-Za-z0-9_.-]+)"`;
}

/** Returns the texts of a stored value that may be encrypted. */
export function listSealedTexts({ json }: SealedColumn, value: string): string[] {
  if (json === undefined) return value === '' ? [] : [value];
  return [...value.matchAll(new RegExp(createSealedJsonPattern(json.property), 'g'))].map(([, text = '']) => text);
}

/** Returns the values of a row that differ under the current key and pepper. */
export function planSealedRowChange(
  column: SealedColumn,
  { box, pepper }: ServiceKeys,
  row: SealedRowTexts,
): SealedRowChange {
  const stored = row[column.column] ?? '';
  const purpose = column.purpose(row);
  const replacements = new Map<string, string>();
  let plaintext: string | null = null;
  let unreadable = 0;
  for (const text of listSealedTexts(column, stored)) {
    const keyId = findSealedKeyId(text);
    if (keyId === null) continue;
    const opened = decryptOrNull(box, text, purpose);
    if (opened === null) unreadable += 1;
    else if (keyId !== box.currentKeyId) replacements.set(text, box.seal(opened, purpose));
    plaintext = opened;
  }
  const value = [...replacements].reduce((result, [text, sealed]) => result.replaceAll(text, sealed), stored);
  const digested = plaintext === null ? undefined : column.digest?.digestedText(plaintext, row);
  const digest = digested === undefined ? null : pepper.digestUnderCurrentPepper(digested).digest;
  return {
    value: value === stored ? null : value,
    digest: digest === row[storedDigestColumn] ? null : digest,
    unreadable,
  };
}

/**
 * Returns the number of the pepper with which the digest of a row was computed. Returns null if the digest is of no
 * configured pepper, and undefined for a row without a text that can be decrypted.
 */
export function findPepperId(
  column: SealedColumn,
  { box, pepper }: ServiceKeys,
  row: SealedRowTexts,
): number | null | undefined {
  const [text] = listSealedTexts(column, row[column.column] ?? '');
  const plaintext = text === undefined ? null : decryptOrNull(box, text, column.purpose(row));
  if (plaintext === null || column.digest === undefined) return undefined;
  const digests = pepper.digestUnderAllPeppers(column.digest.digestedText(plaintext, row));
  return digests.find(({ digest }) => digest === row[storedDigestColumn])?.pepperId ?? null;
}

/** Decrypts a text. Returns null if it is not encrypted, or no configured key decrypts it. */
export function decryptOrNull(box: SecretBox, text: string, purpose: string): string | null {
  try {
    return box.open(text, purpose);
  } catch (error) {
    if (error instanceof SecretBoxError) return null;
    throw error;
  }
}
