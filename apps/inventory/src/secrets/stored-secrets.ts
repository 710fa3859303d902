import type { SealedColumn, StoredSecrets } from '@switchboard/auth';
import type { ModelDefinition } from '../engine/declaration/define-model.js';
import { getDigestColumn, listEncryptedFieldNames, encryptionPurpose } from '../engine/sealed/encrypted-text-sql.js';
import { parameterPurpose, secretParameters } from '../models/core/source-parameters.js';
import { webhook } from '../destinations/webhook/model.js';
import { modelRegistry } from '../models/index.js';

const primaryKey = { id: 'bigint' };

/** Returns the description of the database column that stores an encrypted field of a model. */
function createFieldColumn(model: ModelDefinition, name: string): SealedColumn {
  const purpose = encryptionPurpose(model, name);
  return {
    table: model.table,
    primaryKey,
    column: name,
    purpose: () => purpose,
    digest: { column: getDigestColumn(name), digestedText: (plaintext) => `${purpose}:${plaintext}` },
  };
}

/** All database columns that contain encrypted texts, or digests that were made with a pepper. */
export const inventorySecretColumns: StoredSecrets = {
  sealed: [
    ...modelRegistry.models.flatMap((model) =>
      listEncryptedFieldNames(model).map((name) => createFieldColumn(model, name)),
    ),
    ...secretParameters.map((name) => ({
      table: 'core_datasource',
      primaryKey,
      column: name,
      purpose: () => parameterPurpose(name),
    })),
    {
      table: webhook.table,
      primaryKey,
      column: 'former_secrets',
      json: { type: 'jsonb', property: 'secret' },
      purpose: () => encryptionPurpose(webhook, 'secret'),
    },
  ],
  digests: [
    {
      table: 'users_token',
      column: 'digest',
      pepperIdColumn: 'pepper_id',
      lastUsedSql: 'coalesce(last_used, created)',
    },
  ],
};
