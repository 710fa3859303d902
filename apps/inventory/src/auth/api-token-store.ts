import type { StoredCredentialReader, PepperedDigest } from '@switchboard/auth';
import { BatchedKeyLookup, type SqlStatementExecutor } from '@switchboard/database';
import type { ObjectPermission } from '../engine/object-access.js';

/** An API token, with the properties of the token's user that authentication needs. */
export interface TokenWithUser extends PepperedDigest {
  readonly tokenId: number;
  readonly userId: number;
  readonly username: string;
  readonly isSuperuser: boolean;
  readonly isActive: boolean;
  readonly enabled: boolean;
  readonly writeEnabled: boolean;
  /** Time at which the API token expires, in milliseconds since the epoch; null if the token never expires. */
  readonly expiresAt: number | null;
  /** Networks from which the API token may be used. An empty list allows all networks. */
  readonly allowedIps: readonly string[];
  /**
   * Enabled object permissions of the user and the user's groups; empty for superusers, who may perform all actions.
   */
  readonly permissions: readonly ObjectPermission[];
}

/** SQL expression for a JSON array of the enabled object permissions of the user `u` and of the user's groups. */
export const userPermissionsJsonSql = `CASE WHEN u.is_superuser THEN '[]'::json ELSE (
  SELECT coalesce(json_agg(json_build_object('objectTypes', p.object_types, 'actions', p.actions, 'constraints', p.constraints)
      ORDER BY p.id), '[]')
    FROM users_objectpermission p WHERE p.enabled AND p.id IN (
      SELECT own.objectpermission_id FROM users_user_object_permissions own WHERE own.user_id = u.id
      UNION ALL SELECT shared.objectpermission_id FROM users_group_object_permissions shared
        JOIN users_user_groups member ON member.group_id = shared.group_id WHERE member.user_id = u.id)) END`;

const tokenColumnsSql = `t.id AS "tokenId", t.digest, t.pepper_id AS "pepperId", u.id AS "userId", u.username,
  u.is_superuser AS "isSuperuser", u.is_active AS "isActive", t.enabled, t.write_enabled AS "writeEnabled",
  (extract(epoch FROM t.expires) * 1000)::float8 AS "expiresAt", t.allowed_ips AS "allowedIps",
  ${userPermissionsJsonSql} AS permissions`;

/** Looks up API tokens in the database. Concurrent lookups are combined in one SQL statement. */
export class ApiTokenStore implements StoredCredentialReader<TokenWithUser> {
  readonly #byDigests: BatchedKeyLookup<readonly string[], TokenWithUser | null>;
  readonly #byKey: BatchedKeyLookup<string, TokenWithUser | null>;

  constructor(private readonly database: SqlStatementExecutor) {
    this.#byDigests = new BatchedKeyLookup((asked) => this.#readByDigests(asked));
    this.#byKey = new BatchedKeyLookup((keys) => this.#readByKeys(keys));
  }

  /**
   * Returns the API token whose secret has one of the given digests, or null if no token matches; see
   * {@link StoredCredentialReader}.
   */
  findByDigest(digests: readonly PepperedDigest[]): Promise<TokenWithUser | null> {
    return this.#byDigests.lookUp(digests.map(({ digest }) => digest));
  }

  /** Returns the API token with the given key, or null if no token has the key; see {@link StoredCredentialReader}. */
  findByKey(key: string): Promise<TokenWithUser | null> {
    return this.#byKey.lookUp(key);
  }

  async #readByDigests(asked: readonly (readonly string[])[]): Promise<(TokenWithUser | null)[]> {
    const { rows } = await this.database.query<TokenWithUser>({
      name: 'tokens_by_digest',
      text: `SELECT ${tokenColumnsSql} FROM users_token t JOIN users_user u ON u.id = t.user_id WHERE t.version = 1 AND t.digest = ANY ($1::text[])`,
      values: [asked.flat()],
    });
    const byDigest = new Map(rows.map((row) => [row.digest, row]));
    return asked.map(
      (digests) => digests.map((digest) => byDigest.get(digest)).find((row) => row !== undefined) ?? null,
    );
  }

  async #readByKeys(keys: readonly string[]): Promise<(TokenWithUser | null)[]> {
    const { rows } = await this.database.query<TokenWithUser & { key: string }>({
      name: 'tokens_by_key',
      text: `SELECT t.key, ${tokenColumnsSql} FROM users_token t JOIN users_user u ON u.id = t.user_id WHERE t.key = ANY ($1::text[])`,
      values: [keys],
    });
    const byKey = new Map(rows.map(({ key, ...record }) => [key, record]));
    return keys.map((key) => byKey.get(key) ?? null);
  }

  /**
   * Replaces the stored digest of an API token's secret. Does nothing if the digest changed after the read, or if
   * another transaction has locked the row. The next use of the token then repeats the attempt.
   */
  async renewDigest({ tokenId, digest }: TokenWithUser, renewed: PepperedDigest): Promise<void> {
    await this.database.query(
      `UPDATE users_token SET digest = $3, pepper_id = $4
        WHERE id = (SELECT id FROM users_token WHERE id = $1 AND digest = $2 FOR UPDATE SKIP LOCKED)`,
      [tokenId, digest, renewed.digest, renewed.pepperId],
    );
  }

  /**
   * Stores the current time as the time of an API token's last use, at most once a minute (docs/contract/inventory.md
   * 1.2).
   */
  async recordTokenUse(tokenId: number): Promise<void> {
    await this.database.query(
      `UPDATE users_token SET last_used = now() WHERE id = $1 AND (last_used IS NULL OR last_used < now() - interval '60 seconds')`,
      [tokenId],
    );
  }
}
