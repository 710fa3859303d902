import type { Tx } from '@switchboard/database';
import type { NewScopedApiKey } from '../../core/access/api-keys.js';
import { isPostgresRowId } from '../../infra/check-row-id.js';
import type { SqlQueryRunner } from '../../infra/sql-reader.js';
import type { ApiKeyScope } from '../../infra/http/api-key-scopes.js';
import { scopedKeyColumns, type WireScopedApiKey } from './wire-scoped-key.js';

/**
 * Name, scopes and expiry of an API key to be stored. The field `expiresAt` is a time in UNIX seconds; null if the key
 * does not expire.
 */
export interface ScopedApiKeyFields {
  readonly name: string;
  readonly scopes: readonly ApiKeyScope[];
  readonly expiresAt: number | null;
}

/** Lists the scoped API keys of an account, oldest first, including expired keys. */
export async function listScopedApiKeys(tx: SqlQueryRunner, userId: number): Promise<WireScopedApiKey[]> {
  const { rows } = await tx.query<WireScopedApiKey>(
    `SELECT ${scopedKeyColumns} FROM api_keys WHERE user_id = $1 ORDER BY id`,
    [userId],
  );
  return rows;
}

/**
 * Stores a scoped API key, unless the account already has the maximum number of keys. The caller must have locked the
 * account's row.
 *
 * @returns null if the account has too many keys
 */
export async function addScopedApiKey(
  tx: Tx,
  userId: number,
  { name, scopes, expiresAt }: ScopedApiKeyFields,
  { key, limit }: { readonly key: NewScopedApiKey; readonly limit: number },
): Promise<WireScopedApiKey | null> {
  const { rows } = await tx.query<WireScopedApiKey>(
    `INSERT INTO api_keys (user_id, name, scopes, digest, pepper_id, expires_at)
     SELECT $1::int, $2::text, $3::text[], $4::text, $5::int, to_timestamp($6::float8)
     WHERE (SELECT count(*) FROM api_keys WHERE user_id = $1::int) < $7::int
     RETURNING ${scopedKeyColumns}`,
    [userId, name, scopes, key.digest, key.pepperId, expiresAt, limit],
  );
  return rows[0] ?? null;
}

/** Deletes an API key with scopes. Returns false if the account has no such key. */
export async function removeScopedApiKey(tx: Tx, userId: number, keyId: number): Promise<boolean> {
  if (!isPostgresRowId(keyId)) return false;
  const { rowCount } = await tx.query('DELETE FROM api_keys WHERE id = $1 AND user_id = $2', [keyId, userId]);
  return rowCount > 0;
}
