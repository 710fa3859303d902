import type { ChatActor } from '../../infra/http/chat-actor.js';

/** An API key with scopes. The scopes limit the requests that the key permits. */
interface ScopedApiKeyOfRequest {
  readonly id: number;
  /**
   * Time from which requests with the API key are rejected, in milliseconds since the epoch; null for a key without
   * expiry.
   */
  readonly expiresAtMs: number | null;
}

/**
 * An account that was looked up by its credentials. Contains the properties that may make the credentials invalid, such
 * as the account's state.
 */
export interface CredentialOwner extends ChatActor {
  readonly isActive: boolean;
  readonly realmDeactivated: boolean;
  /**
   * True if soft deactivation may have omitted message rows of the account. For an account just read from the database,
   * true if its last request is more than an hour old. Such an account may be soft-deactivated at any moment.
   */
  readonly isAway: boolean;
  /** API key of the request; undefined if the request was not authenticated by an API key. */
  readonly apiKey?: {
    /**
     * Digests of the API key under all configured peppers. The database stores one of these digests, and may replace
     * the stored digest with another digest at any time.
     */
    readonly digests: readonly string[];
    /** Expiry and scopes of an API key with scopes; undefined for an account's API key without scopes. */
    readonly scoped?: ScopedApiKeyOfRequest;
  };
  /** Session of the request; undefined if the request was not authenticated by a session. */
  readonly session?: {
    readonly digest: string;
    /** CSRF token of the session. Requests that change data must contain this token. */
    readonly csrfToken: string;
  };
}
