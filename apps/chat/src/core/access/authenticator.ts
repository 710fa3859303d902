import { createHash } from 'node:crypto';
import {
  type CredentialCache,
  parseBasicAuthorization,
  type PepperedSecretDigester,
  areTextsEqualInConstantTime,
} from '@switchboard/auth';
import { BatchedKeyLookup, type SqlStatementExecutor } from '@switchboard/database';
import type { Clock, Logger } from '@switchboard/platform';
import { chatErrors } from '../../errors.js';
import { parseRateLimitRules } from '../../infra/rate-limits/index.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import type { CredentialOwner } from './credential-owner.js';
import {
  toApiKeyProperties,
  type ApiKeyRow,
  apiKeysWithScopesSql,
  recordApiKeyUses,
  renewApiKeyDigests,
} from './api-key-lookup.js';
import {
  awaitOmittedMessageRows,
  type ReturningUserReactivation,
  recordActivityOfCredentialOwners,
} from './record-owner-activity.js';

/** Objects and values that {@link CredentialAuthenticator} receives from its caller. */
export interface AuthenticatorDependencies {
  readonly database: SqlStatementExecutor;
  readonly pepper: PepperedSecretDigester;
  readonly cache: CredentialCache<CredentialOwner>;
  readonly returning: ReturningUserReactivation;
  readonly clock: Pick<Clock, 'now'>;
  readonly logger: Pick<Logger, 'warn'>;
}

/**
 * Looks up the account whose email address and API key a request contains as HTTP Basic credentials
 * (docs/contract/chat.md 1.2).
 */
export class CredentialAuthenticator {
  readonly #owners: BatchedKeyLookup<PresentedApiKey, CredentialOwner | null>;

  constructor(private readonly parts: AuthenticatorDependencies) {
    this.#owners = new BatchedKeyLookup((keys) => this.#load(keys));
  }

  /**
   * Returns the user who sends a request (the actor), or null if the request has no credentials. Executes no query if
   * the credentials are cached.
   * @param host The requested host, which chooses the realm.
   * @throws ApplicationError INVALID_API_KEY, USER_DEACTIVATED or REALM_DEACTIVATED.
   */
  async authenticate(authorization: string | undefined, host: string): Promise<ChatActor | null> {
    const header = parseBasicAuthorization(authorization);
    if (header.scheme === 'none') return null;
    if (header.scheme !== 'basic') throw chatErrors.create('INVALID_API_KEY', { message: 'Malformed API key' });
    return this.#find(header.email, header.key, host);
  }

  /**
   * Returns the user to whom an API key belongs. No email address is needed, for example for URLs of files
   * (docs/contract/chat.md 1.1).
   * @throws ApplicationError with the same codes as {@link authenticate}
   */
  authenticateKey(key: string, host: string): Promise<ChatActor> {
    return this.#find(null, key.trim(), host);
  }

  async #find(email: string | null, key: string, host: string): Promise<ChatActor> {
    const presented = createHash('sha256')
      .update(`${host}\0${email ?? ''}\0${key}`)
      .digest('base64');
    const owner = await this.parts.cache.getOrLoadActor(presented, () =>
      awaitOmittedMessageRows(this.parts.returning, this.#owners.lookUp({ host, email, key })),
    );
    if (owner === null || this.#isExpired(owner)) throw chatErrors.create('INVALID_API_KEY');
    if (!owner.isActive) throw chatErrors.create('USER_DEACTIVATED');
    if (owner.realmDeactivated) throw chatErrors.create('REALM_DEACTIVATED');
    return owner;
  }

  /** Returns true if the API key has expired since its account was stored in the cache. */
  #isExpired({ apiKey }: CredentialOwner): boolean {
    const expiresAtMs = apiKey?.scoped?.expiresAtMs ?? null;
    return expiresAtMs !== null && expiresAtMs <= this.parts.clock.now();
  }

  /**
   * Looks up the accounts of several API keys in one SQL statement, because thousands of clients may poll at the same
   * time without cached credentials.
   */
  async #load(keys: readonly PresentedApiKey[]): Promise<(CredentialOwner | null)[]> {
    const { database, pepper } = this.parts;
    const digests = keys.map(({ key }) => pepper.digestUnderAllPeppers(key).map(({ digest }) => digest));
    const candidates = keys.flatMap(({ host }, index) =>
      (digests[index] ?? []).map((digest) => ({ digest, host, index })),
    );
    const { rows } = await database.query<CredentialOwnerRow>(credentialOwnerSql, [
      candidates.map(({ digest }) => digest),
      candidates.map(({ host }) => host),
      candidates.map(({ index }) => index),
    ]);
    const byIndex = new Map(rows.map((row) => [row.index, row]));
    const owners = keys.map(({ host, email }, index) => {
      const row = byIndex.get(index);
      if (row === undefined) return null;
      if (email !== null && !areTextsEqualInConstantTime(row.delivery_email_key, normalizeTextForComparison(email)))
        return null;
      return { ...toCredentialOwner(row), host, ...toApiKeyProperties(row, digests[index] ?? []) };
    });
    await this.#renewDigests(
      rows.filter(({ index }) => owners[index] !== null),
      keys,
    );
    await recordApiKeyUses(database, rows, owners);
    return recordActivityOfCredentialOwners(database, owners);
  }

  async #renewDigests(rows: readonly CredentialOwnerRow[], keys: readonly PresentedApiKey[]): Promise<void> {
    const { database, pepper, logger } = this.parts;
    try {
      const authenticated = rows.map((row) => ({ row, secret: keys[row.index]?.key ?? '' }));
      await renewApiKeyDigests(database, pepper, authenticated);
    } catch (err) {
      // The key is valid all the same, and its next use tries again.
      logger.warn({ err }, 'digests of API keys could not be renewed');
    }
  }
}

/** SQL columns of an authenticated account. Suits statements that select from `users u JOIN realms r`. */
export const chatActorColumns = `
  u.id, u.realm_id, u.delivery_email, u.role, u.bot_type IS NOT NULL AS is_bot,
  coalesce(u.bot_type = 2, false) AS is_incoming_webhook, u.is_active, u.rate_limits,
  EXISTS (SELECT FROM soft_deactivations away WHERE away.user_id = u.id) OR NOT EXISTS (
    SELECT FROM user_activity activity
    WHERE activity.user_id = u.id AND activity.last_request_at >= now() - interval '1 hour') AS is_away,
  r.fake_email_domain, r.deactivated AS realm_deactivated`;

/** Database row with the columns that {@link chatActorColumns} selects. */
export interface AuthenticatedAccountRow {
  id: number;
  realm_id: number;
  delivery_email: string;
  role: number;
  is_bot: boolean;
  is_incoming_webhook: boolean;
  is_active: boolean;
  is_away: boolean;
  rate_limits: string;
  fake_email_domain: string;
  realm_deactivated: boolean;
}

/** Converts a database row with the columns of {@link chatActorColumns} to an authenticated account. */
export function toCredentialOwner(row: AuthenticatedAccountRow): CredentialOwner {
  return {
    id: row.id,
    kind: row.is_bot ? 'bot' : 'user',
    realm: String(row.realm_id),
    realmId: row.realm_id,
    ...(row.is_incoming_webhook && { isIncomingWebhook: true }),
    role: row.role,
    deliveryEmail: row.delivery_email,
    fakeEmailDomain: row.fake_email_domain,
    ...(row.rate_limits !== '' && { rateLimits: parseRateLimitRules(row.rate_limits) ?? [] }),
    isActive: row.is_active,
    isAway: row.is_away,
    realmDeactivated: row.realm_deactivated,
  };
}

/** Returns the cache tag that invalidates the cached credentials of a scoped API key. */
export const getApiKeyCacheTag = (keyId: number): string => `key:${keyId}`;

/**
 * Returns the cache tags that invalidate an account's cached credentials: tags of the account, the realm, and the
 * session or scoped API key.
 */
export function listCredentialCacheTags(owner: CredentialOwner): string[] {
  const { apiKey, session } = owner;
  const tags = [`user:${owner.id}`, `realm:${owner.realmId}`];
  if (session !== undefined) tags.push(`session:${session.digest}`);
  if (apiKey?.scoped !== undefined) tags.push(getApiKeyCacheTag(apiKey.scoped.id));
  return tags;
}

/** API key and host of a request whose account has not been looked up yet. */
interface PresentedApiKey {
  readonly host: string;
  /** Email address that the request contains in addition to the API key; null if the request contains only the key. */
  readonly email: string | null;
  readonly key: string;
}

interface CredentialOwnerRow extends AuthenticatedAccountRow, ApiKeyRow {
  delivery_email_key: string;
  /** Position of the API key in the list of keys that one SQL statement looks up. */
  index: number;
}

const credentialOwnerSql = `
  SELECT ${chatActorColumns}, u.delivery_email_key, asked.index, key.*
  FROM unnest($1::text[], $2::text[], $3::int[]) AS asked (digest, host, index)
    JOIN LATERAL (${apiKeysWithScopesSql('asked.digest')}) AS key ON true
    JOIN users u ON u.id = key.user_id JOIN realms r ON r.id = u.realm_id
  WHERE (r.host = asked.host OR NOT EXISTS (SELECT 1 FROM realms other WHERE other.id <> r.id))`;
