import { findSealedKeyId } from '../secret-box.js';
import { discardLostRows, readSealedRowsInBatches } from './sealed-rows.js';
import type { SecretsQueryable, StoredSecrets } from './stored-secrets.js';

/**
 * Removes the texts that were encrypted with a lost key, in the columns that allow their removal. Texts that another
 * process changes during the run remain.
 */
export async function discardLostTexts(
  database: SecretsQueryable,
  { sealed }: StoredSecrets,
  keyId: string,
): Promise<void> {
  for (const column of sealed) {
    if (column.whenLost === undefined) continue;
    for await (const rows of readSealedRowsInBatches(database, column)) {
      const lost = rows.filter((row) => findSealedKeyId(row[column.column] ?? '') === keyId);
      await discardLostRows(database, column, lost);
    }
  }
}
