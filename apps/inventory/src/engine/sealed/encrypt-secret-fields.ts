import type { ModelDefinition, RowValueByColumn } from '../declaration/define-model.js';
import type { ModelHookServices } from '../model-hook-services.js';
import { getDigestColumn, maskedSecret, listEncryptedFieldNames, encryptionPurpose } from './encrypted-text-sql.js';

/**
 * Encrypts the values of an object's encrypted fields. Returns the encrypted values, by the names of the columns that
 * store them.
 */
export function encryptSecretFields(
  model: ModelDefinition,
  row: RowValueByColumn,
  previous: RowValueByColumn | null,
  services: Pick<ModelHookServices, 'seal' | 'fingerprints'>,
): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const name of listEncryptedFieldNames(model)) {
    const [given, stored] = [String(row[name] ?? ''), String(previous?.[name] ?? '')];
    if (previous !== null && (given === stored || given === maskedSecret)) {
      columns[name] = stored;
    } else if (given === '' || given === maskedSecret) {
      columns[name] = '';
      columns[getDigestColumn(name)] = '';
    } else {
      const purpose = encryptionPurpose(model, name);
      columns[name] = services.seal(given, purpose);
      columns[getDigestColumn(name)] = services.fingerprints(given, purpose)[0] ?? '';
    }
  }
  return columns;
}
