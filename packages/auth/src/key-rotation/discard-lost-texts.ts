import { sealedKeyId } from '../secret-box.js';
import { discardRows, readRowsInBatches } from './sealed-rows.js';
import type { SecretsReader, StoredSecrets } from './stored-secrets.js';

/** Removes the texts under a lost key from the columns that allow it. Texts that change meanwhile remain. */
export async function discardLostTexts(
  database: SecretsReader,
  { sealed }: StoredSecrets,
  keyId: string,
): Promise<void> {
  for (const column of sealed) {
    if (column.whenLost === undefined) continue;
    for await (const rows of readRowsInBatches(database, column)) {
      const lost = rows.filter((row) => sealedKeyId(row[column.column] ?? '') === keyId);
      await discardRows(database, column, lost);
    }
  }
}
