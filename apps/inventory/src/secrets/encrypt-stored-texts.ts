import { type SecretTextEncryptor, SecretTextDecryptionError } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { Logger } from '@switchboard/platform';
import type { ModelDefinition } from '../engine/declaration/define-model.js';
import type { ModelRegistry } from '../engine/declaration/model-registry.js';
import {
  getEncryptedTextDigestColumn,
  listEncryptedFieldNames,
  createFieldEncryptionPurpose,
} from '../engine/sealed/encrypted-text-sql.js';
import type { ModelHookServices } from '../engine/model-hook-services.js';
import { quoteSqlIdentifier } from '../engine/sql/json-text-sql.js';

/** Services on which {@link encryptStoredTexts} depends, and the log to which it writes. */
export interface EncryptStoredTextsOptions {
  readonly database: Pick<Database, 'inTransaction'>;
  readonly registry: ModelRegistry;
  readonly box: SecretTextEncryptor;
  readonly services: Pick<ModelHookServices, 'fingerprints'>;
  readonly logger: Pick<Logger, 'info' | 'error'>;
}

const encryptedRowsPerBatch = 500;

/**
 * Encrypts texts that migrations stored unencrypted, and computes missing digests, because migrations have no access to
 * the keys. Several processes may call the function at the same time, and an interrupted call can be repeated. If all
 * texts are already encrypted, the function runs one statement per field.
 */
export async function encryptStoredTexts(sealing: EncryptStoredTextsOptions): Promise<void> {
  for (const model of sealing.registry.models) {
    for (const name of listEncryptedFieldNames(model)) await encryptTextsOfColumn(sealing, model, name);
  }
}

async function encryptTextsOfColumn(
  sealing: EncryptStoredTextsOptions,
  model: ModelDefinition,
  name: string,
): Promise<void> {
  let [after, total] = [0, 0];
  for (;;) {
    const batch = await encryptBatchOfTexts(sealing, model, name, after);
    total += batch.written;
    if (batch.last === null) break;
    after = batch.last;
  }
  if (total > 0) sealing.logger.info({ model: model.type, field: name, rows: total }, 'encrypted stored secrets');
}

async function encryptBatchOfTexts(
  { database, box, services, logger }: EncryptStoredTextsOptions,
  model: ModelDefinition,
  name: string,
  after: number,
): Promise<{ last: number | null; written: number }> {
  const [column, digest, purpose] = [
    quoteSqlIdentifier(name),
    quoteSqlIdentifier(getEncryptedTextDigestColumn(name)),
    createFieldEncryptionPurpose(model, name),
  ];
  return database.inTransaction(async (tx) => {
    const { rows } = await tx.query<{ id: number; text: string }>(
      `SELECT id, ${column} AS text FROM ${model.table} WHERE ${digest} = '' AND ${column} <> '' AND id > $1
        ORDER BY id LIMIT ${encryptedRowsPerBatch} FOR NO KEY UPDATE`,
      [after],
    );
    const sealed = rows.flatMap(({ id, text }) => {
      const plain = decryptIfPossible(box, text, purpose);
      if (plain === null) logger.error({ model: model.type, field: name, id }, 'a stored secret cannot be decrypted');
      return plain === null ? [] : [{ id, plain, text: plain === text ? box.seal(plain, purpose) : text }];
    });
    await tx.query(
      `UPDATE ${model.table} t SET ${column} = r.text, ${digest} = r.digest
        FROM unnest($1::bigint[], $2::text[], $3::text[]) AS r (id, text, digest) WHERE t.id = r.id`,
      [
        sealed.map(({ id }) => id),
        sealed.map(({ text }) => text),
        sealed.map(({ plain }) => services.fingerprints(plain, purpose)[0] ?? ''),
      ],
    );
    return { last: rows.at(-1)?.id ?? null, written: sealed.length };
  });
}

/**
 * Returns the plain text of a stored secret. Returns null if the encryption key of the secret is no longer configured.
 */
function decryptIfPossible(box: SecretTextEncryptor, text: string, purpose: string): string | null {
  try {
    return box.open(text, purpose);
  } catch (error) {
    if (!(error instanceof SecretTextDecryptionError)) throw error;
    return error.fault === 'malformed' ? text : null;
  }
}
