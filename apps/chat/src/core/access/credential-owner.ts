import type { ChatActor } from '../../infra/http/actor.js';

/** An account found by its credentials, with the states that make them invalid. */
export interface CredentialOwner extends ChatActor {
  readonly isActive: boolean;
  readonly realmDeactivated: boolean;
  /**
   * True if rows of messages may be missing that soft deactivation has left out. Of an account as it was just read, also
   * true if its last request is more than an hour old: it may be marked as away at any moment.
   */
  readonly isAway: boolean;
  /** The session, if the credentials are one. */
  readonly session?: {
    readonly digest: string;
    /** Token that requests with side effects must repeat. */
    readonly csrfToken: string;
  };
}
