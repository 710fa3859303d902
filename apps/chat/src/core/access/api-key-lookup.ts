import type { PepperedSecretDigester, PepperedDigest } from '@switchboard/auth';
import type { SqlStatementExecutor } from '@switchboard/database';
import type { ApiKeyScope } from '../../infra/http/api-key-scopes.js';
import type { CredentialOwner } from './credential-owner.js';

/**
 * Database row that {@link apiKeysWithScopesSql} selects. The columns about the scoped key are null if the row
 * describes an account's API key without scopes.
 */
export interface ApiKeyRow {
  user_id: number;
  key_digest: string;
  key_id: number | null;
  pepper_id: number | null;
  scopes: ApiKeyScope[] | null;
  expires_at_ms: number | null;
  /** True if the time at which the key was last used must be written to the database. */
  is_use_due: boolean;
}

/** SQL condition that is true if the stored time of an API key's last use is absent or more than a minute ago. */
const isLastUseOutdatedSql = "(last_used_at IS NULL OR last_used_at < now() - interval '1 minute')";

/**
 * Returns SQL that selects the API key with the given digest. The key is an account's API key without scopes, or an
 * unexpired API key with scopes.
 *
 * @param digest SQL expression of the digest
 */
export const apiKeysWithScopesSql = (digest: string): string => `
  SELECT id AS user_id, api_key_digest AS key_digest, NULL::int AS key_id, NULL::int AS pepper_id,
    NULL::text[] AS scopes,
    NULL::float8 AS expires_at_ms, false AS is_use_due
  FROM users WHERE api_key_digest = ${digest}
  UNION ALL
  SELECT user_id, digest, id, pepper_id, scopes, (extract(epoch FROM expires_at) * 1000)::float8, ${isLastUseOutdatedSql}
  FROM api_keys WHERE digest = ${digest} AND (expires_at IS NULL OR expires_at > now())`;

/**
 * Returns the API key of a row and the key's scopes, as properties of the authenticated account.
 *
 * @param digests digests of the API key under all peppers
 */
export function toApiKeyProperties(
  row: ApiKeyRow,
  digests: readonly string[],
): Pick<CredentialOwner, 'apiKey' | 'scopes'> {
  const { key_id: id, expires_at_ms: expiresAtMs, scopes } = row;
  if (id === null) return { apiKey: { digests } };
  return { apiKey: { digests, scoped: { id, expiresAtMs } }, scopes: scopes ?? [] };
}

/** An authenticated API key: its database row, and the key as the client sent it. */
export interface AuthenticatedApiKey {
  readonly row: ApiKeyRow;
  readonly secret: string;
}

/**
 * Replaces the stored digests of scoped API keys that were computed under a former pepper with digests under the
 * current pepper. Skips rows that another transaction has locked, and digests that were replaced since they were read.
 */
export async function renewApiKeyDigests(
  database: SqlStatementExecutor,
  pepper: PepperedSecretDigester,
  authenticated: readonly AuthenticatedApiKey[],
): Promise<void> {
  const renewals = authenticated.flatMap(
    ({ row, secret }): { id: number; former: string; renewed: PepperedDigest }[] => {
      const { key_id: id, pepper_id: pepperId, key_digest: digest } = row;
      if (id === null || pepperId === null || !pepper.isRenewable({ pepperId, digest })) return [];
      return [{ id, former: digest, renewed: pepper.digestUnderCurrentPepper(secret) }];
    },
  );
  if (renewals.length === 0) return;
  await database.query(
    `WITH renewal AS (SELECT * FROM unnest($1::int[], $2::text[], $3::text[]) AS renewal (id, former, digest)),
       locked AS (SELECT key.id FROM api_keys key JOIN renewal ON renewal.id = key.id AND renewal.former = key.digest
         ORDER BY key.id FOR UPDATE OF key SKIP LOCKED)
     UPDATE api_keys key SET digest = renewal.digest, pepper_id = $4
     FROM renewal JOIN locked ON locked.id = renewal.id WHERE key.id = renewal.id AND key.digest = renewal.former`,
    [
      renewals.map(({ id }) => id),
      renewals.map(({ former }) => former),
      renewals.map(({ renewed }) => renewed.digest),
      pepper.currentId,
    ],
  );
}

/**
 * Writes the time of use to authenticated API keys with scopes whose stored time is older than a minute. Skips rows
 * that another transaction has locked, because that transaction writes the same time or deletes the key.
 *
 * @param owners Authenticated accounts; null for rejected credentials
 */
export async function recordApiKeyUses(
  database: SqlStatementExecutor,
  rows: readonly ApiKeyRow[],
  owners: readonly (CredentialOwner | null)[],
): Promise<void> {
  const due = new Set(rows.flatMap((row) => (row.is_use_due && row.key_id !== null ? [row.key_id] : [])));
  const used = owners.flatMap((owner) => owner?.apiKey?.scoped?.id ?? []).filter((id) => due.has(id));
  if (used.length === 0) return;
  await database.query(
    `UPDATE api_keys SET last_used_at = now() WHERE id IN (
       SELECT id FROM api_keys WHERE id = ANY($1) AND ${isLastUseOutdatedSql} ORDER BY id FOR NO KEY UPDATE SKIP LOCKED)`,
    [used],
  );
}
