import { createHash, randomBytes } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { verifyPassword } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import { ApiKeys } from '../../access/api-keys.js';
import { chatErrors } from '../../errors.js';
import { DATABASE } from '../../tokens.js';
import { type Account, addSession, findAccount, recordSignIn } from './accounts.repository.js';

/** What a client signs its requests with from now on. */
export interface SignedIn {
  readonly api_key: string;
  /** The real address in the case it was stored with. */
  readonly email: string;
  readonly user_id: number;
}

/** The two cookies of a browser that signed in (chat-contract 1.2). */
export interface SessionCookies {
  readonly sessionid: string;
  readonly csrftoken: string;
}

/** How long a session lasts. */
export const sessionDays = 14;

/** Gives people their API key: the same one until they regenerate it (chat-contract 2.B). */
@Injectable()
export class SignIn {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly apiKeys: ApiKeys,
  ) {}

  /** @throws AppError AUTHENTICATION_FAILED, USER_DEACTIVATED, REALM_DEACTIVATED */
  async withPassword(host: string, email: string, password: string): Promise<SignedIn> {
    const account = await findAccount(this.database, host, email);
    // An unknown address takes as long as a wrong password, so that the time tells nothing.
    const isGood = await verifyPassword(password, account?.passwordHash);
    if (account === null || !isGood) throw chatErrors.create('AUTHENTICATION_FAILED');
    return this.#signIn(account);
  }

  /** For development: no password, and a session for the browser. @throws AppError as {@link withPassword} */
  async asDeveloper(host: string, email: string): Promise<{ signedIn: SignedIn; cookies: SessionCookies }> {
    const account = await findAccount(this.database, host, email);
    if (account === null) throw chatErrors.create('AUTHENTICATION_FAILED', { message: 'No such user' });
    const signedIn = await this.#signIn(account);
    const cookies = { sessionid: randomBytes(24).toString('hex'), csrftoken: randomBytes(24).toString('hex') };
    await addSession(this.database, {
      tokenDigest: createHash('sha256').update(cookies.sessionid).digest('hex'),
      userId: account.owner.id,
      csrfToken: cookies.csrftoken,
      days: sessionDays,
    });
    return { signedIn, cookies };
  }

  async #signIn({ owner, apiKeySealed }: Account): Promise<SignedIn> {
    if (!owner.isActive) throw chatErrors.create('USER_DEACTIVATED');
    if (owner.realmDeactivated) throw chatErrors.create('REALM_DEACTIVATED');
    const apiKey = await this.apiKeys.get(this.database, owner.id, apiKeySealed);
    await recordSignIn(this.database, owner.id);
    return { api_key: apiKey, email: owner.deliveryEmail, user_id: owner.id };
  }
}
