import type { ModelDefinition, RowValues } from '../declaration/define-model.js';
import type { HookServices } from '../model-hook-services.js';
import { digestColumn, maskedSecret, encryptedFieldNames, encryptionPurpose } from './encrypted-text-sql.js';

/** Encrypts the values of an object's encrypted fields. Returns the values of the columns that store them. */
export function encryptFields(
  model: ModelDefinition,
  row: RowValues,
  previous: RowValues | null,
  services: Pick<HookServices, 'seal' | 'fingerprints'>,
): Record<string, unknown> {
  const columns: Record<string, unknown> = {};
  for (const name of encryptedFieldNames(model)) {
    const [given, stored] = [String(row[name] ?? ''), String(previous?.[name] ?? '')];
    if (previous !== null && (given === stored || given === maskedSecret)) {
      columns[name] = stored;
    } else if (given === '' || given === maskedSecret) {
      columns[name] = '';
      columns[digestColumn(name)] = '';
    } else {
      const purpose = encryptionPurpose(model, name);
      columns[name] = services.seal(given, purpose);
      columns[digestColumn(name)] = services.fingerprints(given, purpose)[0] ?? '';
    }
  }
  return columns;
}
