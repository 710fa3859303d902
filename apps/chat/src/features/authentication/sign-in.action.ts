import { createHash } from 'node:crypto';
import { Inject, Injectable } from '@nestjs/common';
import { verifyPassword } from '@switchboard/auth';
import type { Database, Tx } from '@switchboard/database';
import type { ChatActor } from '../../infra/http/chat-actor.js';
import { ApiKeyStore } from '../../core/access/api-keys.js';
import type { CredentialOwner } from '../../core/access/credential-owner.js';
import { chatErrors } from '../../errors.js';
import { ChatEventWriter } from '../../events/chat-events.js';
import { RateLimiter } from '../../infra/rate-limits/index.js';
import { createRateLimitError } from '../../core/access/admission.guard.js';
import { normalizeTextForComparison } from '../../infra/normalized-text-key.js';
import { DATABASE_TOKEN } from '../../tokens.js';
import {
  type SignInAccount,
  findSignInAccount,
  findOwnAccount,
  recordSignIn,
  type AccountWithVerifiedPassword,
} from './sign-in-accounts.repository.js';
import { activateAccountOnFirstLogin } from './activate-on-first-login.js';
import { auditSignIn, type SignInAttempt } from './audit-sign-in.js';
import { lockRealmMembership, lockVerifiedUser } from '../../core/database-locks.js';

/** API key with which a client authenticates further requests, and the email address of the key's account. */
export interface SignInResult {
  readonly api_key: string;
  /** Email address of the account in its stored letter case. */
  readonly email: string;
  readonly user_id: number;
}

/**
 * Verifies a user's password and returns the user's API key. The key remains unchanged until it is regenerated
 * (docs/contract/chat.md 2.B).
 */
@Injectable()
export class SignInService {
  constructor(
    @Inject(DATABASE_TOKEN) private readonly database: Database,
    private readonly apiKeys: ApiKeyStore,
    private readonly limiter: RateLimiter,
    private readonly events: ChatEventWriter,
  ) {}

  /**
   * Verifies the password of an account, and returns the account's API key.
   *
   * @throws ApplicationError AUTHENTICATION_FAILED, USER_DEACTIVATED, REALM_DEACTIVATED, RATE_LIMIT_HIT
   */
  async signInWithPassword(host: string, email: string, password: string): Promise<SignInResult> {
    return auditSignIn('password', async (attempt) => this.#signIn(await this.#verify(attempt, host, email, password)));
  }

  /**
   * Verifies a password, and then calls `begin` to create a browser session. Returns the result of `begin`.
   *
   * @throws ApplicationError as {@link signInWithPassword}, and errors of `begin`
   */
  async withSession<T>(
    host: string,
    { email, password }: { readonly email: string; readonly password: string },
    begin: (account: AccountWithVerifiedPassword) => Promise<T>,
  ): Promise<T> {
    return auditSignIn('session', async (attempt) => {
      const account = await this.#verify(attempt, host, email, password);
      await this.#signIn(account);
      return begin(requireAccountWithVerifiedPassword(account));
    });
  }

  async #verify(attempt: SignInAttempt, host: string, email: string, password: string): Promise<SignInAccount> {
    const account = await findSignInAccount(this.database, host, email);
    attempt.owner = account?.owner ?? null;
    await this.#countAttempt(
      account === null ? `address:${normalizeTextForComparison(email)}` : `user:${account.owner.id}`,
    );
    // Verification takes as long for an unknown address as for a wrong password, so that timing reveals nothing.
    const isValid = await verifyPassword(password, account?.passwordHash);
    if (account === null || !isValid) throw chatErrors.create('AUTHENTICATION_FAILED');
    return account;
  }

  /**
   * Verifies the password that a signed-in user enters again. Returns the API key.
   *
   * @throws ApplicationError as {@link signInWithPassword}
   */
  async signInWithRepeatedPassword(actor: ChatActor, password: string): Promise<SignInResult> {
    return auditSignIn('repeated_password', async (attempt) => {
      attempt.owner = actor;
      await this.#countAttempt(`user:${actor.id}`);
      const account = await findOwnAccount(this.database, actor.id);
      const isValid = await verifyPassword(password, account?.passwordHash);
      if (account === null || !isValid) throw chatErrors.create('AUTHENTICATION_FAILED');
      return this.#signIn(account);
    });
  }

  /**
   * Signs in to the account of an email address that another service has verified. Bots cannot sign in this way.
   *
   * @param verifyEmail returns the verified address
   * @throws ApplicationError AUTHENTICATION_FAILED, USER_DEACTIVATED, REALM_DEACTIVATED, and errors of `verifyEmail`
   */
  async signInWithVerifiedEmail(
    host: string,
    verifyEmail: () => Promise<string>,
  ): Promise<{ signedIn: SignInResult; owner: CredentialOwner }> {
    return auditSignIn('jwt', async (attempt) => {
      const account = await findSignInAccount(this.database, host, await verifyEmail());
      attempt.owner = account?.owner ?? null;
      if (account === null || account.owner.kind === 'bot') throw chatErrors.create('AUTHENTICATION_FAILED');
      return { signedIn: await this.#signIn(account), owner: account.owner };
    });
  }

  /**
   * Signs in without a password, in development only.
   * @throws ApplicationError as {@link signInWithPassword}
   */
  async signInWithoutPassword(
    host: string,
    email: string,
  ): Promise<{ signedIn: SignInResult; account: AccountWithVerifiedPassword }> {
    return auditSignIn('development', async (attempt) => {
      const account = await findSignInAccount(this.database, host, email);
      attempt.owner = account?.owner ?? null;
      if (account === null) throw chatErrors.create('AUTHENTICATION_FAILED', { message: 'No such user' });
      return { signedIn: await this.#signIn(account), account: requireAccountWithVerifiedPassword(account) };
    });
  }

  /**
   * Counts an attempt to sign in before the password is verified. Redis stores the count, so that the limit applies to
   * all processes together. Attempts are counted per account, or per email address if no account has the address, but
   * never per requested host.
   */
  async #countAttempt(subject: string): Promise<void> {
    const name = createHash('sha256').update(subject).digest('hex');
    const taken = await this.limiter.countRequestAgainstLimit('AUTHENTICATE_BY_USERNAME', name);
    if (taken !== null && taken.waitMs > 0) throw createRateLimitError(taken);
  }

  async #signIn(account: SignInAccount): Promise<SignInResult> {
    const { owner } = account;
    if (!owner.isActive) throw chatErrors.create('USER_DEACTIVATED');
    if (owner.realmDeactivated) throw chatErrors.create('REALM_DEACTIVATED');
    const recorded = account.awaitsFirstLogin
      ? await this.database.inTransaction((tx) => this.#signInFirst(tx, account))
      : await recordSignIn(this.database, requireAccountWithVerifiedPassword(account));
    if (recorded === undefined) throw await this.#changedAccountError(owner.id);
    const apiKey = await this.apiKeys.getOrCreateApiKey(this.database, owner.id, recorded.apiKeySealed);
    return { api_key: apiKey, email: owner.deliveryEmail, user_id: owner.id };
  }

  /**
   * Handles the first sign-in to an account. Emits the events of the first sign-in before it records the sign-in time,
   * because a recorded time marks the first sign-in as completed.
   */
  async #signInFirst(tx: Tx, account: SignInAccount) {
    await lockRealmMembership(tx, account.owner.realmId, 'exclusive');
    if (!(await lockVerifiedUser(tx, requireAccountWithVerifiedPassword(account)))) return undefined;
    await activateAccountOnFirstLogin(this.events, tx, account.owner);
    return recordSignIn(tx, requireAccountWithVerifiedPassword(account));
  }

  /** Creates the error for an account that was deactivated or received a new password while a sign-in was verified. */
  async #changedAccountError(userId: number): Promise<Error> {
    const account = await findOwnAccount(this.database, userId);
    return chatErrors.create(account?.owner.isActive === false ? 'USER_DEACTIVATED' : 'AUTHENTICATION_FAILED');
  }
}

function requireAccountWithVerifiedPassword({ owner, passwordHash }: SignInAccount): AccountWithVerifiedPassword {
  return { userId: owner.id, passwordHash };
}
