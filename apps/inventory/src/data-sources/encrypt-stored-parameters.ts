import type { Database } from '@switchboard/database';
import type { Logger } from '@switchboard/platform';
import type { ModelHookServices } from '../engine/model-hook-services.js';
import {
  createClearSecretCondition,
  encryptDataSourceParameters,
  secretDataSourceParameterNames,
} from '../models/core/source-parameters.js';

export interface ParameterEncryptionOptions {
  readonly database: Pick<Database, 'inTransaction'>;
  readonly services: Pick<ModelHookServices, 'seal'>;
  readonly logger: Pick<Logger, 'info'>;
}

const encryptedDataSourcesPerBatch = 100;

const encryptDataSourceParametersSql = `UPDATE core_datasource SET parameters = $2::jsonb, ${secretDataSourceParameterNames
  .map((name, index) => `${name} = coalesce($${index + 3}::text, ${name})`)
  .join(', ')} WHERE id = $1`;

/**
 * Encrypts secret parameters that older versions stored in clear. A database migration cannot encrypt the secrets,
 * because the database has no encryption keys. Safe in concurrent processes and after an interruption.
 */
export async function encryptStoredDataSourceSecrets({
  database,
  services,
  logger,
}: ParameterEncryptionOptions): Promise<void> {
  const sealBatch = (): Promise<number> =>
    database.inTransaction(async (tx) => {
      const { rows } = await tx.query<{ id: number; parameters: unknown }>(
        `SELECT id, parameters FROM core_datasource WHERE jsonb_typeof(parameters) = 'object' AND ${createClearSecretCondition('parameters')}
          ORDER BY id LIMIT ${encryptedDataSourcesPerBatch} FOR NO KEY UPDATE`,
      );
      for (const { id, parameters } of rows) {
        const sealed = encryptDataSourceParameters(parameters, parameters, services.seal);
        const secrets = secretDataSourceParameterNames.map((name) => sealed[name] ?? null);
        await tx.query(encryptDataSourceParametersSql, [id, JSON.stringify(sealed['parameters']), ...secrets]);
      }
      return rows.length;
    });
  let total = 0;
  for (let count = await sealBatch(); count > 0; count = await sealBatch()) total += count;
  if (total > 0) logger.info({ rows: total }, 'encrypted secret parameters of data sources');
}
