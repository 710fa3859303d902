import { createHash } from 'node:crypto';
import type { CredentialCache } from '@switchboard/auth';
import { BatchedKeyLookup, type SqlStatementExecutor } from '@switchboard/database';
import { chatErrors } from '../../errors.js';
import { chatActorColumns, type AuthenticatedAccountRow, toCredentialOwner } from './authenticator.js';
import type { CredentialOwner } from './credential-owner.js';
import {
  awaitOmittedMessageRows,
  type ReturningUserReactivation,
  recordActivityOfCredentialOwners,
} from './record-owner-activity.js';

/**
 * Returns the digest of a session token. The database stores only the digest, so that a stolen table gives no access to
 * accounts.
 */
export function digestSessionToken(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Looks up the account to which a session cookie belongs (docs/contract/chat.md 1.2). */
export class SessionAuthenticator {
  readonly #owners: BatchedKeyLookup<PresentedSession, CredentialOwner | null>;

  constructor(
    private readonly parts: {
      readonly database: SqlStatementExecutor;
      readonly cache: CredentialCache<CredentialOwner>;
      readonly returning: ReturningUserReactivation;
    },
  ) {
    this.#owners = new BatchedKeyLookup((sessions) => this.#load(sessions));
  }

  /**
   * Returns the account of a session token, or null if the session does not exist or has expired. Executes no query if
   * the account is cached.
   *
   * @param host The requested host; a session is valid in its own realm only.
   * @throws ApplicationError USER_DEACTIVATED or REALM_DEACTIVATED
   */
  async find(token: string | undefined, host: string): Promise<CredentialOwner | null> {
    if (token === undefined || token === '') return null;
    const digest = digestSessionToken(token);
    const owner = await this.parts.cache.getOrLoadActor(`session\0${digest}\0${host}`, () =>
      awaitOmittedMessageRows(this.parts.returning, this.#owners.lookUp({ digest, host })),
    );
    if (owner === null) return null;
    if (!owner.isActive) throw chatErrors.create('USER_DEACTIVATED');
    if (owner.realmDeactivated) throw chatErrors.create('REALM_DEACTIVATED');
    return owner;
  }

  async #load(sessions: readonly PresentedSession[]): Promise<(CredentialOwner | null)[]> {
    const { database } = this.parts;
    const { rows } = await database.query<AuthenticatedAccountRow & { csrf_token: string; index: number }>(
      `SELECT ${chatActorColumns}, s.csrf_token, asked.index::int AS index
       FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked (digest, host, index)
         JOIN sessions s ON s.token_digest = asked.digest
         JOIN users u ON u.id = s.user_id JOIN realms r ON r.id = u.realm_id
       WHERE s.expires_at > now()
         AND (r.host = asked.host OR NOT EXISTS (SELECT 1 FROM realms other WHERE other.id <> r.id))`,
      [sessions.map(({ digest }) => digest), sessions.map(({ host }) => host)],
    );
    const byIndex = new Map(rows.map((row) => [row.index - 1, row]));
    const owners = sessions.map(({ digest, host }, index) => {
      const row = byIndex.get(index);
      return row === undefined
        ? null
        : { ...toCredentialOwner(row), host, session: { digest, csrfToken: row.csrf_token } };
    });
    return recordActivityOfCredentialOwners(database, owners);
  }
}

/** A session whose cookie a request contains: the digest of the session's token, and the requested host. */
interface PresentedSession {
  readonly digest: string;
  readonly host: string;
}
