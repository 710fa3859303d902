import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { verifyPassword } from '@switchboard/auth';
import type { Database } from '@switchboard/database';
import type { ChatActor } from '../../access/actor.js';
import { ApiKeys } from '../../access/api-keys.js';
import { chatErrors } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import { RateLimiter, rateLimitHit } from '../../rate-limits/index.js';
import { textKey } from '../../text-key.js';
import { DATABASE } from '../../tokens.js';
import { type Account, findAccount, findOwnAccount, recordSignIn } from './accounts.repository.js';
import { arrive } from './arrive.js';

/** What a client signs its requests with from now on. */
export interface SignedIn {
  readonly api_key: string;
  /** The real address in the case it was stored with. */
  readonly email: string;
  readonly user_id: number;
}

/** Gives people their API key: the same one until they regenerate it (chat-contract 2.B). */
@Injectable()
export class SignIn {
  constructor(
    @Inject(DATABASE) private readonly database: Database,
    private readonly apiKeys: ApiKeys,
    private readonly limiter: RateLimiter,
    private readonly events: ChatEvents,
  ) {}

  /** @throws AppError AUTHENTICATION_FAILED, USER_DEACTIVATED, REALM_DEACTIVATED, RATE_LIMIT_HIT */
  async withPassword(host: string, email: string, password: string): Promise<SignedIn> {
    await this.#countAttempt(host, email);
    const account = await findAccount(this.database, host, email);
    // An unknown address takes as long as a wrong password, so that the time tells nothing.
    const isGood = await verifyPassword(password, account?.passwordHash);
    if (account === null || !isGood) throw chatErrors.create('AUTHENTICATION_FAILED');
    return this.#signIn(account);
  }

  /** The key of somebody whose browser is signed in, for the password once more. @throws AppError as {@link withPassword} */
  async again(actor: ChatActor, host: string, password: string): Promise<SignedIn> {
    await this.#countAttempt(host, actor.deliveryEmail);
    const account = await findOwnAccount(this.database, actor.id);
    const isGood = await verifyPassword(password, account?.passwordHash);
    if (account === null || !isGood) throw chatErrors.create('AUTHENTICATION_FAILED');
    return this.#signIn(account);
  }

  /** For development: no password. @throws AppError as {@link withPassword} */
  async asDeveloper(host: string, email: string): Promise<SignedIn> {
    const account = await findAccount(this.database, host, email);
    if (account === null) throw chatErrors.create('AUTHENTICATION_FAILED', { message: 'No such user' });
    return this.#signIn(account);
  }

  /** Before the password is looked at: guessing it must not become faster by asking many processes. */
  async #countAttempt(host: string, email: string): Promise<void> {
    const name = createHash('sha256')
      .update(`${host}\0${textKey(email)}`)
      .digest('hex');
    const taken = await this.limiter.take('AUTHENTICATE_BY_USERNAME', name);
    if (taken !== null && taken.waitMs > 0) throw rateLimitHit(taken);
  }

  async #signIn({ owner, apiKeySealed, awaitsFirstLogin }: Account): Promise<SignedIn> {
    if (!owner.isActive) throw chatErrors.create('USER_DEACTIVATED');
    if (owner.realmDeactivated) throw chatErrors.create('REALM_DEACTIVATED');
    const apiKey = await this.apiKeys.get(this.database, owner.id, apiKeySealed);
    if (awaitsFirstLogin) await this.database.inTransaction((tx) => arrive(this.events, tx, owner));
    else await recordSignIn(this.database, owner.id);
    return { api_key: apiKey, email: owner.deliveryEmail, user_id: owner.id };
  }
}
