import { findEncryptionKeyIdOfText } from '../secret-box.js';
import { removeRowsWithLostText, readEncryptedRowsInBatches } from './sealed-rows.js';
import type { SecretsQueryExecutor, StoredSecretColumns } from './stored-secrets.js';

/**
 * Removes the texts that were encrypted with a lost key, in the columns that allow their removal. Texts that another
 * process changes during the run remain.
 */
export async function removeTextsOfLostKey(
  database: SecretsQueryExecutor,
  { sealed }: StoredSecretColumns,
  keyId: string,
): Promise<void> {
  for (const column of sealed) {
    if (column.whenLost === undefined) continue;
    for await (const rows of readEncryptedRowsInBatches(database, column)) {
      const lost = rows.filter((row) => findEncryptionKeyIdOfText(row[column.column] ?? '') === keyId);
      await removeRowsWithLostText(database, column, lost);
    }
  }
}
