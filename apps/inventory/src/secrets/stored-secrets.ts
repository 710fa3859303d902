import type { EncryptedColumn, StoredSecretColumns } from '@switchboard/auth';
import type { ModelDefinition } from '../engine/declaration/define-model.js';
import {
  getEncryptedTextDigestColumn,
  listEncryptedFieldNames,
  createFieldEncryptionPurpose,
} from '../engine/sealed/encrypted-text-sql.js';
import { getParameterEncryptionPurpose, secretDataSourceParameterNames } from '../models/core/source-parameters.js';
import { webhook } from '../destinations/webhook/model.js';
import { modelRegistry } from '../models/index.js';

const primaryKeyColumnTypes = { id: 'bigint' };

/** Returns the description of the database column that stores an encrypted field of a model. */
function createEncryptedFieldColumn(model: ModelDefinition, name: string): EncryptedColumn {
  const purpose = createFieldEncryptionPurpose(model, name);
  return {
    table: model.table,
    primaryKey: primaryKeyColumnTypes,
    column: name,
    purpose: () => purpose,
    digest: { column: getEncryptedTextDigestColumn(name), digestedText: (plaintext) => `${purpose}:${plaintext}` },
  };
}

/** All database columns that contain encrypted texts, or digests that were made with a pepper. */
export const inventorySecretColumns: StoredSecretColumns = {
  sealed: [
    ...modelRegistry.models.flatMap((model) =>
      listEncryptedFieldNames(model).map((name) => createEncryptedFieldColumn(model, name)),
    ),
    ...secretDataSourceParameterNames.map((name) => ({
      table: 'core_datasource',
      primaryKey: primaryKeyColumnTypes,
      column: name,
      purpose: () => getParameterEncryptionPurpose(name),
    })),
    {
      table: webhook.table,
      primaryKey: primaryKeyColumnTypes,
      column: 'former_secrets',
      json: { type: 'jsonb', property: 'secret' },
      purpose: () => createFieldEncryptionPurpose(webhook, 'secret'),
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
