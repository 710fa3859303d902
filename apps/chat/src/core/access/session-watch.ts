import type { Invalidations } from '@switchboard/auth';
import { credentialTags } from './authenticator.js';
import type { CredentialOwner } from './credential-owner.js';

/** A pending request that is watched because a session authenticated it. */
export interface WatchedSession {
  /**
   * Signal that is aborted when the session was revoked in any process, or when this process may have missed a
   * revocation.
   */
  readonly signal: AbortSignal;
  /** Stops watching the request. Called when the request ends. */
  release(): void;
}

/** Ends the pending requests of a session, such as event polls, once its credentials are revoked. */
export class SessionWatch {
  readonly #pending = new Map<string, Set<AbortController>>();

  constructor(invalidations: Pick<Invalidations, 'listen'>) {
    invalidations.listen({
      invalidated: (tag) => this.#abort(tag),
      lost: () => {
        for (const tag of this.#pending.keys()) this.#abort(tag);
      },
    });
  }

  /**
   * Watches the request of an account that was authenticated by a session. Returns null for an account that was
   * authenticated by an API key.
   */
  watch(owner: CredentialOwner): WatchedSession | null {
    if (owner.session === undefined) return null;
    const tags = credentialTags(owner);
    const controller = new AbortController();
    for (const tag of tags) {
      const pending = this.#pending.get(tag);
      if (pending === undefined) this.#pending.set(tag, new Set([controller]));
      else pending.add(controller);
    }
    return { signal: controller.signal, release: () => this.#release(tags, controller) };
  }

  #abort(tag: string): void {
    for (const controller of this.#pending.get(tag) ?? []) controller.abort();
  }

  #release(tags: readonly string[], controller: AbortController): void {
    for (const tag of tags) {
      const pending = this.#pending.get(tag);
      pending?.delete(controller);
      if (pending?.size === 0) this.#pending.delete(tag);
    }
  }
}
