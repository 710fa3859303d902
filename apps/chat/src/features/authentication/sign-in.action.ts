import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { verifyPassword } from '@switchboard/auth';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/actor.js';
import { ApiKeys } from '../../core/access/api-keys.js';
import { lockRealmMembership } from '../../core/access/realm-membership-lock.js';
import { chatErrors } from '../../errors.js';
import { ChatEvents } from '../../events/chat-events.js';
import { RateLimiter } from '../../infra/rate-limits/index.js';
import { rateLimitHit } from '../../core/access/admission.guard.js';
import { textKey } from '../../infra/text-key.js';
import { DATABASE } from '../../tokens.js';
import {
  type Account,
  findAccount,
  findOwnAccount,
  lockVerified,
  recordSignIn,
  type VerifiedAccount,
} from './accounts.repository.js';
import { activateOnFirstLogin } from './first-login.js';

/** Credentials with which a client signs its requests from now on. */
export interface SignedIn {
  readonly api_key: string;
  /** The real address in the case it was stored with. */
  readonly email: string;
  readonly user_id: number;
}

/** Returns users their API key, unchanged until they regenerate it (docs/contract/chat.md 2.B). */
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
    return this.#signIn(await this.#verify(host, email, password));
  }

  /** Signs in for a session instead of a key. @throws AppError as {@link withPassword} */
  async forSession(host: string, email: string, password: string): Promise<VerifiedAccount> {
    const account = await this.#verify(host, email, password);
    await this.#signIn(account);
    return verifiedAccount(account);
  }

  async #verify(host: string, email: string, password: string): Promise<Account> {
    const account = await findAccount(this.database, host, email);
    await this.#countAttempt(account === null ? `address:${textKey(email)}` : `user:${account.owner.id}`);
    // An unknown address takes as long as a wrong password, so that the time tells nothing.
    const isGood = await verifyPassword(password, account?.passwordHash);
    if (account === null || !isGood) throw chatErrors.create('AUTHENTICATION_FAILED');
    return account;
  }

  /**
   * Returns the API key of a signed-in user who repeats the password.
   * @throws AppError as {@link withPassword}
   */
  async again(actor: ChatActor, password: string): Promise<SignedIn> {
    await this.#countAttempt(`user:${actor.id}`);
    const account = await findOwnAccount(this.database, actor.id);
    const isGood = await verifyPassword(password, account?.passwordHash);
    if (account === null || !isGood) throw chatErrors.create('AUTHENTICATION_FAILED');
    return this.#signIn(account);
  }

  /**
   * Signs in without a password, in development only.
   * @throws AppError as {@link withPassword}
   */
  async asDeveloper(host: string, email: string): Promise<{ signedIn: SignedIn; account: VerifiedAccount }> {
    const account = await findAccount(this.database, host, email);
    if (account === null) throw chatErrors.create('AUTHENTICATION_FAILED', { message: 'No such user' });
    return { signedIn: await this.#signIn(account), account: verifiedAccount(account) };
  }

  /**
   * Counts an attempt before the password is verified, in Redis, so that asking many processes makes guessing no
   * faster. By account, or by address where no account has it, and never by the host that the client names.
   */
  async #countAttempt(subject: string): Promise<void> {
    const name = createHash('sha256').update(subject).digest('hex');
    const taken = await this.limiter.take('AUTHENTICATE_BY_USERNAME', name);
    if (taken !== null && taken.waitMs > 0) throw rateLimitHit(taken);
  }

  async #signIn(account: Account): Promise<SignedIn> {
    const { owner } = account;
    if (!owner.isActive) throw chatErrors.create('USER_DEACTIVATED');
    if (owner.realmDeactivated) throw chatErrors.create('REALM_DEACTIVATED');
    const recorded = account.awaitsFirstLogin
      ? await this.database.inTransaction((tx) => this.#signInFirst(tx, account))
      : await recordSignIn(this.database, verifiedAccount(account));
    if (recorded === undefined) throw await this.#refusal(owner.id);
    const apiKey = await this.apiKeys.get(this.database, owner.id, recorded.apiKeySealed);
    return { api_key: apiKey, email: owner.deliveryEmail, user_id: owner.id };
  }

  /** The first sign-in is announced before its time is recorded, which ends the wait for it. */
  async #signInFirst(tx: Tx, account: Account) {
    await lockRealmMembership(tx, account.owner.realmId, 'exclusive');
    if (!(await lockVerified(tx, verifiedAccount(account)))) return undefined;
    await activateOnFirstLogin(this.events, tx, account.owner);
    return recordSignIn(tx, verifiedAccount(account));
  }

  /** The refusal of an account that was deactivated, or whose password was changed, while the password was verified. */
  async #refusal(userId: number): Promise<Error> {
    const account = await findOwnAccount(this.database, userId);
    return chatErrors.create(account?.owner.isActive === false ? 'USER_DEACTIVATED' : 'AUTHENTICATION_FAILED');
  }
}

function verifiedAccount({ owner, passwordHash }: Account): VerifiedAccount {
  return { userId: owner.id, passwordHash };
}
