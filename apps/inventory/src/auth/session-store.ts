import { createHash, randomBytes } from 'node:crypto';
import { BatchedKeyLookup, type SqlStatementExecutor } from '@switchboard/database';
import type { InventoryActor, ObjectPermission } from '../engine/object-access.js';
import { userPermissionsJsonSql } from './api-token-store.js';

/** Values of the two cookies that a browser receives at login. */
export interface NewSessionCookieValues {
  readonly sessionId: string;
  readonly csrfToken: string;
}

/** A valid browser session, with the session's user and CSRF token. */
export interface BrowserSession {
  readonly actor: InventoryActor;
  readonly csrfToken: string;
}

/**
 * Returns the stored digest of a session id. Session ids have more than 160 random bits, so an id cannot be guessed
 * from an unsalted digest.
 */
const digestSessionId = (sessionId: string): string => createHash('sha256').update(sessionId).digest('hex');
const generateSessionSecret = (): string => randomBytes(24).toString('hex');

/**
 * SQL expression for a digest of a user's stored password hash. Sessions store the digest, so that a session becomes
 * invalid when the password changes.
 */
const passwordDigestSql = `encode(sha256(convert_to(u.password, 'UTF8')), 'hex')`;

/** Store of browser sessions in the database. Sessions are looked up by the value of the cookie `sessionid`. */
export class SessionStore {
  readonly #byDigest: BatchedKeyLookup<string, BrowserSession | null>;

  constructor(private readonly database: SqlStatementExecutor) {
    this.#byDigest = new BatchedKeyLookup((digests) => this.#readSession(digests));
  }

  /**
   * Starts a session for a user whose password was verified, ends the browser's previous session, and deletes expired
   * ones. The user is checked again under the row lock, because the password may have changed, or the user may have
   * been deactivated, during the verification.
   *
   * @param verified the user's id, and the stored hash that the password was compared with
   * @returns null if the user no longer has that hash or is inactive
   */
  async startSession(
    verified: { readonly id: number; readonly password: string },
    lifetimeSeconds: number,
    replaced: string | undefined,
  ): Promise<NewSessionCookieValues | null> {
    const session = { sessionId: generateSessionSecret(), csrfToken: generateSessionSecret() };
    const { rows } = await this.database.query(
      `WITH u AS (UPDATE users_user SET last_login = now() WHERE id = $2 AND password = $6 AND is_active
          RETURNING id, password),
        gone AS (DELETE FROM users_session WHERE digest = $5 OR digest IN (
          SELECT digest FROM users_session WHERE expires <= now() LIMIT 1000 FOR UPDATE SKIP LOCKED))
        INSERT INTO users_session (digest, user_id, csrf_token, password_digest, expires)
        SELECT $1, u.id, $3, ${passwordDigestSql}, now() + make_interval(secs => $4) FROM u RETURNING user_id`,
      [
        digestSessionId(session.sessionId),
        verified.id,
        session.csrfToken,
        lifetimeSeconds,
        digestSessionId(replaced ?? ''),
        verified.password,
      ],
    );
    return rows.length === 0 ? null : session;
  }

  /** Returns the browser session with the given session id, or null if the session does not exist or has expired. */
  findSession(sessionId: string): Promise<BrowserSession | null> {
    return this.#byDigest.lookUp(digestSessionId(sessionId));
  }

  async #readSession(digests: readonly string[]): Promise<(BrowserSession | null)[]> {
    const { rows } = await this.database.query<{
      digest: string;
      id: number;
      username: string;
      isSuperuser: boolean;
      csrfToken: string;
      permissions: readonly ObjectPermission[];
    }>({
      name: 'sessions_by_digest',
      text: `SELECT s.digest, u.id, u.username, u.is_superuser AS "isSuperuser", s.csrf_token AS "csrfToken",
          ${userPermissionsJsonSql} AS permissions
        FROM users_session s JOIN users_user u ON u.id = s.user_id
        WHERE s.digest = ANY ($1::text[]) AND s.expires > now() AND u.is_active AND s.password_digest = ${passwordDigestSql}`,
      values: [digests],
    });
    const sessions = new Map<string, BrowserSession>();
    for (const { digest, csrfToken, ...user } of rows) {
      sessions.set(digest, { csrfToken, actor: { ...user, kind: 'user', mayWrite: true } });
    }
    return digests.map((digest) => sessions.get(digest) ?? null);
  }

  /** Ends the session with the id of a cookie. Returns false if there is none. */
  async endSession(sessionId: string): Promise<boolean> {
    const digest = digestSessionId(sessionId);
    const { rowCount } = await this.database.query('DELETE FROM users_session WHERE digest = $1', [digest]);
    return rowCount > 0;
  }
}
