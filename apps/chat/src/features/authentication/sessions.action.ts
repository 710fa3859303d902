import { randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import type { CredentialCache } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { digestSessionToken } from '../../core/access/session-authenticator.js';
import type { ChatConfig } from '../../config.js';
import { chatErrors } from '../../errors.js';
import { chatAudit } from '../../infra/audit-trail.js';
import { CHAT_CONFIG_TOKEN, CREDENTIALS_TOKEN, DATABASE_TOKEN } from '../../tokens.js';
import type { AccountWithVerifiedPassword } from './sign-in-accounts.repository.js';
import { insertBrowserSession, removeBrowserSession } from './sessions.repository.js';

/** The session cookie and the CSRF cookie of a signed-in browser (docs/contract/chat.md 1.2). */
export interface BrowserSessionCookies {
  readonly sessionid: string;
  readonly csrftoken: string;
  readonly maxAgeSeconds: number;
}

/** Creates and ends sessions of browsers that are signed in. */
@Injectable()
export class BrowserSessionService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    @Inject(CREDENTIALS_TOKEN) private readonly credentials: CredentialCache<CredentialOwner>,
    @Inject(CHAT_CONFIG_TOKEN) private readonly config: Pick<ChatConfig, 'SESSION_SECONDS'>,
  ) {}

  /**
   * Creates a session with a new token and a new CSRF token, so that cookies that an attacker set before the login are
   * useless.
   *
   * @param account The account, whose password was just verified or set.
   * @param replaced The session cookie that the browser sent; that session is deleted.
   * @throws ApplicationError AUTHENTICATION_FAILED when the account was deactivated or the password changed since
   */
  async createSession(account: AccountWithVerifiedPassword, replaced?: string): Promise<BrowserSessionCookies> {
    const cookies = { sessionid: randomBytes(24).toString('hex'), csrftoken: randomBytes(24).toString('hex') };
    const lifetimeSeconds = this.config.SESSION_SECONDS;
    const session = {
      tokenDigest: digestSessionToken(cookies.sessionid),
      account,
      csrfToken: cookies.csrftoken,
      lifetimeSeconds,
    };
    const old = replaced === undefined ? null : digestSessionToken(replaced);
    const isAdded = await insertBrowserSession(this.database, session, old);
    if (old !== null) await this.credentials.evictByTag(`session:${old}`);
    if (!isAdded) throw chatErrors.create('AUTHENTICATION_FAILED');
    return { ...cookies, maxAgeSeconds: lifetimeSeconds };
  }

  /** Ends the browser session with the given token in all processes. Does nothing if the session has already ended. */
  async endSession(token: string): Promise<void> {
    const digest = digestSessionToken(token);
    const userId = await removeBrowserSession(this.database, digest);
    if (userId !== null) chatAudit.write('sign_out', { id: userId });
    await this.credentials.evictByTag(`session:${digest}`);
  }
}
