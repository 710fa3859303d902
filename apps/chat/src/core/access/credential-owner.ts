import type { ChatActor } from '../../infra/http/actor.js';

/** An account as its credentials found it, with the states that refuse it. */
export interface CredentialOwner extends ChatActor {
  readonly isActive: boolean;
  readonly realmDeactivated: boolean;
  /**
   * True if rows of messages may be missing that soft deactivation has left out. Of an account as it was just read, also
   * true if its last request is more than an hour old: it may be marked as away at any moment.
   */
  readonly isAway: boolean;
  /** The session that it was found by, if it was one. */
  readonly session?: {
    readonly digest: string;
    /** Token that requests with side effects must repeat. */
    readonly csrfToken: string;
  };
}
