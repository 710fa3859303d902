import type { ChatActor } from '../../infra/http/actor.js';

/** An account found by its credentials, with the states that make them invalid. */
export interface CredentialOwner extends ChatActor {
  readonly isActive: boolean;
  readonly realmDeactivated: boolean;
  /**
   * True if rows of messages that soft deactivation left out may be missing. For an account that was just read, also
   * true if its last request is more than an hour old, because it may be deactivated softly at any moment.
   */
  readonly isAway: boolean;
  /** The session, if the request was authenticated by one. */
  readonly session?: {
    readonly digest: string;
    /** CSRF token that requests with side effects must repeat. */
    readonly csrfToken: string;
  };
}
