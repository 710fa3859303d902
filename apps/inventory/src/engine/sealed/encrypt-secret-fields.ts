import type { ModelDefinition, ObjectValuesToStore } from '../declaration/define-model.js';
import type { ModelHookServices } from '../model-hook-services.js';
import {
  getEncryptedTextDigestColumn,
  maskedSecret,
  listEncryptedFieldNames,
  createFieldEncryptionPurpose,
} from './encrypted-text-sql.js';

/**
 * Encrypts the values of an object's encrypted fields. Returns the encrypted values, by the names of the columns that
 * store them.
 */
export function encryptSecretFields(
  model: ModelDefinition,
  row: ObjectValuesToStore,
  previous: ObjectValuesToStore | null,
  services: Pick<ModelHookServices, 'seal' | 'fingerprints'>,
): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const name of listEncryptedFieldNames(model)) {
    const [given, stored] = [String(row[name] ?? ''), String(previous?.[name] ?? '')];
    if (previous !== null && (given === stored || given === maskedSecret)) {
      columns[name] = stored;
    } else if (given === '' || given === maskedSecret) {
      columns[name] = '';
      columns[getEncryptedTextDigestColumn(name)] = '';
    } else {
      const purpose = createFieldEncryptionPurpose(model, name);
      columns[name] = services.seal(given, purpose);
      columns[getEncryptedTextDigestColumn(name)] = services.fingerprints(given, purpose)[0] ?? '';
    }
  }
  return columns;
}
