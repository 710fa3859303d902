import type { CredentialInvalidations } from '@switchboard/auth';
import type { Clock, ClockTimer } from '@switchboard/platform';
import { listCredentialCacheTags } from './authenticator.js';
import type { CredentialOwner } from './credential-owner.js';

/** Maximum delay of a Node.js timer, in milliseconds. */
const maxTimerDelayMs = 2_147_483_647;

/** A pending request that is watched because a session or an API key with scopes authenticated it. */
export interface WatchedRequestCredentials {
  /**
   * Signal that is aborted when the credentials were revoked in any process or have expired, or when this process may
   * have missed a revocation.
   */
  readonly signal: AbortSignal;
  /** Stops watching the request. Called when the request ends. */
  release(): void;
}

/** A pending request whose credentials are watched. */
export interface PendingCredentialRequest {
  /** Called whenever the credentials may have been revoked or have expired, until the request is no longer watched. */
  abort(): void;
}

/**
 * Ends the pending requests of a session or of an API key with scopes, such as event polls, and all streams of events,
 * once the credentials are revoked or expire.
 */
export class CredentialWatch {
  readonly #pending = new Map<string, Set<PendingCredentialRequest>>();

  constructor(
    invalidations: Pick<CredentialInvalidations, 'listen'>,
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
  watch(owner: CredentialOwner): WatchedRequestCredentials | null {
    const key = owner.apiKey?.scoped;
    if (owner.session === undefined && key === undefined) return null;
    const controller = new AbortController();
    return { signal: controller.signal, release: this.#add(owner, controller) };
  }

  /**
   * Watches a stream of an account with any kind of credentials. The stream object itself is registered, because it
   * takes less memory than an abort signal.
   *
   * @returns a function that stops watching
   */
  watchStream(owner: CredentialOwner, stream: PendingCredentialRequest): () => void {
    return this.#add(owner, stream);
  }

  #add(owner: CredentialOwner, request: PendingCredentialRequest): () => void {
    for (const tag of listCredentialCacheTags(owner)) {
      const pending = this.#pending.get(tag);
      if (pending === undefined) this.#pending.set(tag, new Set([request]));
      else pending.add(request);
    }
    const expiry = this.#abortAt(owner.apiKey?.scoped?.expiresAtMs ?? null, request);
    return () => {
      if (expiry !== null) this.clock.clearTimeout(expiry);
      // The tags are computed again, because thousands of open streams would retain them.
      this.#release(listCredentialCacheTags(owner), request);
    };
  }

  #abortAt(timeMs: number | null, request: PendingCredentialRequest): ClockTimer | null {
    if (timeMs === null) return null;
    const delayMs = Math.min(Math.max(timeMs - this.clock.now(), 0), maxTimerDelayMs);
    const timer = this.clock.setTimeout(() => request.abort(), delayMs);
    timer.unref?.();
    return timer;
  }

  #abort(tag: string): void {
    for (const request of this.#pending.get(tag) ?? []) request.abort();
  }

  #release(tags: readonly string[], request: PendingCredentialRequest): void {
    for (const tag of tags) {
      const pending = this.#pending.get(tag);
      pending?.delete(request);
      if (pending?.size === 0) this.#pending.delete(tag);
    }
  }
}
