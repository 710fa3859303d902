import type { Invalidations } from '@switchboard/auth';
import type { Clock, Timer } from '@switchboard/platform';
import { credentialTags } from './authenticator.js';
import type { CredentialOwner } from './credential-owner.js';

/** Longest delay of a timer, in milliseconds. */
const maxDelayMs = 2_147_483_647;

/** A pending request that is watched because a session or an API key with scopes authenticated it. */
export interface WatchedSession {
  /**
   * Signal that is aborted when the credentials were revoked in any process or have expired, or when this process may
   * have missed a revocation.
   */
  readonly signal: AbortSignal;
  /** Stops watching the request. Called when the request ends. */
  release(): void;
}

/**
 * Ends the pending requests of a session or of an API key with scopes, such as event polls, once the credentials are
 * revoked or expire.
 */
export class SessionWatch {
  readonly #pending = new Map<string, Set<AbortController>>();

  constructor(
    invalidations: Pick<Invalidations, 'listen'>,
    private readonly clock: Clock,
  ) {
    invalidations.listen({
      invalidated: (tag) => this.#abort(tag),
      lost: () => {
        for (const tag of this.#pending.keys()) this.#abort(tag);
      },
    });
  }

  /**
   * Watches the request of an account that was authenticated by a session or an API key with scopes. Returns null for
   * an account that was authenticated by its API key without scopes, because its event queues end with the key.
   */
  watch(owner: CredentialOwner): WatchedSession | null {
    const key = owner.apiKey?.scoped;
    if (owner.session === undefined && key === undefined) return null;
    const tags = credentialTags(owner);
    const controller = new AbortController();
    for (const tag of tags) {
      const pending = this.#pending.get(tag);
      if (pending === undefined) this.#pending.set(tag, new Set([controller]));
      else pending.add(controller);
    }
    const expiry = this.#abortAt(key?.expiresAtMs ?? null, controller);
    return {
      signal: controller.signal,
      release: () => {
        if (expiry !== null) this.clock.clearTimeout(expiry);
        this.#release(tags, controller);
      },
    };
  }

  #abortAt(timeMs: number | null, controller: AbortController): Timer | null {
    if (timeMs === null) return null;
    const delayMs = Math.min(Math.max(timeMs - this.clock.now(), 0), maxDelayMs);
    const timer = this.clock.setTimeout(() => controller.abort(), delayMs);
    timer.unref?.();
    return timer;
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
