import { type SecretTextEncryptor, findEncryptionKeyIdOfText } from '../secret-box.js';
import { readEncryptedRowsInBatches } from './sealed-rows.js';
import { listEncryptedTexts, decryptTextOrNull } from './encrypted-column-values.js';
import type { SecretsQueryExecutor, StoredSecretColumns } from './stored-secrets.js';

/**
 * Returns the ids of the given encryption keys that decrypt none of the texts stored under their id. A key that
 * decrypts one text is the right key, even if other texts are damaged. Reads rows until each key has decrypted a text.
 *
 * @param ids ids of keys under which the database contains texts
 */
export async function findUnusableEncryptionKeyIds(
  database: SecretsQueryExecutor,
  {
    box,
    stored,
    ids,
  }: { readonly box: SecretTextEncryptor; readonly stored: StoredSecretColumns; readonly ids: readonly string[] },
): Promise<string[]> {
  const unread = new Set(ids);
  for (const column of stored.sealed) {
    if (unread.size === 0) break;
    for await (const rows of readEncryptedRowsInBatches(database, column)) {
      for (const row of rows) {
        for (const text of listEncryptedTexts(column, row[column.column] ?? '')) {
          const id = findEncryptionKeyIdOfText(text);
          if (id === null || !unread.has(id)) continue;
          if (decryptTextOrNull(box, text, column.purpose(row)) !== null) unread.delete(id);
        }
      }
      if (unread.size === 0) break;
    }
  }
  return [...unread];
}
