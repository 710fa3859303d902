import { Inject, Injectable } from '@nestjs/common';
import type { CredentialCache } from '@switchboard/auth';
import { BatchedKeyLookup, type Database, type SqlStatementExecutor } from '@switchboard/database';
import { getApiKeyCacheTag } from '../../core/access/authenticator.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { chatErrors } from '../../errors.js';
import { CREDENTIALS_TOKEN, DATABASE_TOKEN } from '../../tokens.js';

/** Checks that sessions and scoped API keys still exist. One SQL statement serves all concurrent checks. */
@Injectable()
export class PendingRequestCredentialChecker {
  readonly #sessions: BatchedKeyLookup<string, boolean>;
  readonly #keys: BatchedKeyLookup<number, boolean>;

  constructor(
    @Inject(DATABASE_TOKEN) { authentication }: Database,
    @Inject(CREDENTIALS_TOKEN) private readonly cache: CredentialCache<CredentialOwner>,
  ) {
    this.#sessions = new BatchedKeyLookup((digests) => checkWhichSessionsExist(authentication, digests));
    this.#keys = new BatchedKeyLookup((ids) => checkWhichApiKeysExist(authentication, ids));
  }

  /**
   * Requires that the session or scoped API key of a pending request still exists. The session or key may have been
   * deleted after the authentication but before the service watched the request. For a cached API key, executes no SQL
   * statement.
   *
   * @throws ApplicationError UNAUTHORIZED, INVALID_API_KEY
   */
  async requireValidCredentials({ session, apiKey }: CredentialOwner): Promise<void> {
    if (session !== undefined && !(await this.#sessions.lookUp(session.digest)))
      throw chatErrors.create('UNAUTHORIZED');
    const key = apiKey?.scoped;
    if (key === undefined || this.cache.hasCredential(getApiKeyCacheTag(key.id))) return;
    if (!(await this.#keys.lookUp(key.id))) throw chatErrors.create('INVALID_API_KEY');
  }
}

/** Checks which of the given scoped API keys exist. Returns true or false for each key id, in the given order. */
async function checkWhichApiKeysExist(database: SqlStatementExecutor, ids: readonly number[]): Promise<boolean[]> {
  const { rows } = await database.query<{ id: number }>('SELECT id FROM api_keys WHERE id = ANY ($1)', [ids]);
  const known = new Set(rows.map((row) => row.id));
  return ids.map((id) => known.has(id));
}

/**
 * Checks which of the given sessions exist. Returns true or false for each digest of a session token, in the given
 * order.
 */
async function checkWhichSessionsExist(database: SqlStatementExecutor, digests: readonly string[]): Promise<boolean[]> {
  const sql = 'SELECT token_digest FROM sessions WHERE token_digest = ANY ($1)';
  const { rows } = await database.query<{ token_digest: string }>(sql, [digests]);
  const known = new Set(rows.map((row) => row.token_digest));
  return digests.map((digest) => known.has(digest));
}
