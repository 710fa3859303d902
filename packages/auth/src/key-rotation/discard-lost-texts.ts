import { findSealedKeyId } from '../secret-box.js';
import { discardLostRows, readSealedRowsInBatches } from './sealed-rows.js';
import type { SecretsQueryable, StoredSecrets } from './stored-secrets.js';

/** Removes the texts under a lost key from the columns that allow it. Texts that change meanwhile remain. */
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
