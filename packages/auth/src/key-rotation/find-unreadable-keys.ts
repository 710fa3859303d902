import { type SecretBox, findSealedKeyId } from '../secret-box.js';
import { readSealedRowsInBatches } from './sealed-rows.js';
import { listSealedTexts, decryptOrNull } from './sealed-values.js';
import type { SecretsQueryable, StoredSecrets } from './stored-secrets.js';

/**
 * Returns the ids of the given encryption keys that decrypt none of the texts stored under their id. A key that
 * decrypts one text is the right key, even if other texts are damaged. Reads rows until each key has decrypted a text.
 *
 * @param ids ids of keys under which the database contains texts
 */
export async function findUnreadableKeys(
  database: SecretsQueryable,
  { box, stored, ids }: { readonly box: SecretBox; readonly stored: StoredSecrets; readonly ids: readonly string[] },
): Promise<string[]> {
  const unread = new Set(ids);
  for (const column of stored.sealed) {
    if (unread.size === 0) break;
    for await (const rows of readSealedRowsInBatches(database, column)) {
      for (const row of rows) {
        for (const text of listSealedTexts(column, row[column.column] ?? '')) {
          const id = findSealedKeyId(text);
          if (id === null || !unread.has(id)) continue;
          if (decryptOrNull(box, text, column.purpose(row)) !== null) unread.delete(id);
        }
      }
      if (unread.size === 0) break;
    }
  }
  return [...unread];
}
