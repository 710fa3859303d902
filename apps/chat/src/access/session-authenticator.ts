import { createHash } from 'node:crypto';
import type { CredentialCache } from '@switchboard/auth';
import type { Tx } from '@switchboard/database';
import { chatErrors } from '../errors.js';
import { actorColumns, type ActorRow, type CredentialOwner, ownerOf } from './authenticator.js';
import { recordActivity } from './user-activity.js';

/** What the database keeps of a session's token: a stolen table opens no account. */
export function sessionDigest(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

/** Finds the account behind a session cookie (chat-contract 1.2). */
export class SessionAuthenticator {
  constructor(private readonly parts: { readonly database: Tx; readonly cache: CredentialCache<CredentialOwner> }) {}

  /**
   * Null without a session, or with one that has ended. No query while the cache knows it.
   *
   * @param host The host that the client asked for: a session is good in its realm alone.
   * @throws AppError USER_DEACTIVATED or REALM_DEACTIVATED
   */
  async find(token: string | undefined, host: string): Promise<CredentialOwner | null> {
    if (token === undefined || token === '') return null;
    const digest = sessionDigest(token);
    const owner = await this.parts.cache.get(`session\0${digest}\0${host}`, () => this.#load(digest, host));
    if (owner === null) return null;
    if (!owner.isActive) throw chatErrors.create('USER_DEACTIVATED');
    if (owner.realmDeactivated) throw chatErrors.create('REALM_DEACTIVATED');
    return owner;
  }

  async #load(digest: string, host: string): Promise<CredentialOwner | null> {
    const { rows } = await this.parts.database.query<ActorRow & { csrf_token: string }>(
      `SELECT ${actorColumns}, s.csrf_token
       FROM sessions s JOIN users u ON u.id = s.user_id JOIN realms r ON r.id = u.realm_id
       WHERE s.token_digest = $1 AND s.expires_at > now()
         AND (r.host = $2 OR NOT EXISTS (SELECT 1 FROM realms other WHERE other.id <> r.id))`,
      [digest, host],
    );
    const [row] = rows;
    if (row === undefined) return null;
    await recordActivity(this.parts.database, row.id);
    return { ...ownerOf(row), host, session: { digest, csrfToken: row.csrf_token } };
  }
}
