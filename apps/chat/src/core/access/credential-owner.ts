import type { ChatActor } from '../../infra/http/chat-actor.js';

/** An API key with scopes, which become the scopes of the actor. */
interface ScopedKey {
  readonly id: number;
  /** Time from which the key is rejected, in milliseconds since the epoch; null for a key without expiry. */
  readonly expiresAtMs: number | null;
}

/** An account found by its credentials, with the data that may make the credentials invalid. */
export interface CredentialOwner extends ChatActor {
  readonly isActive: boolean;
  readonly realmDeactivated: boolean;
  /**
   * True if soft deactivation may have omitted message rows of the account. For an account that was just read from the
   * database, true if the last request is more than an hour old, because the account may be soft-deactivated at any
   * moment.
   */
  readonly isAway: boolean;
  /** API key of the request, if it was authenticated by one. */
  readonly apiKey?: {
    /** Digests of the API key under all configured peppers. The stored one may change between them at any time. */
    readonly digests: readonly string[];
    /** Undefined for the account's API key without scopes. */
    readonly scoped?: ScopedKey;
  };
  /** Session of the request, if it was authenticated by one. */
  readonly session?: {
    readonly digest: string;
    /** CSRF token of the session, which requests that change data must contain. */
    readonly csrfToken: string;
  };
}
