import type { CredentialInvalidationNotifier } from '@switchboard/auth';
import type { Clock, ClockTimer } from '@switchboard/platform';
import { listCredentialCacheTags } from './authenticator.js';
import type { CredentialOwner } from './credential-owner.js';

/** Maximum delay of a Node.js timer, in milliseconds. */
const maxTimerDelayMs = 2_147_483_647;

/**
 * A pending request whose credentials are watched for revocation. A session or a scoped API key has authenticated the
 * request.
 */
export interface CredentialRevocationSignal {
  /**
   * Signal that is aborted when the request's credentials were revoked in any process or have expired. Also aborted
   * when this process may have missed a revocation.
   */
  readonly signal: AbortSignal;
  /** Stops watching the request's credentials. Called when the request ends. */
  release(): void;
}

/** A pending request whose credentials are watched for revocation and expiry. */
export interface RequestAbortedOnCredentialRevocation {
  /**
   * Ends the pending request. Called whenever the request's credentials may have been revoked or have expired, until
   * watching ends.
   */
  abort(): void;
}

/**
 * Ends pending requests once their credentials are revoked or expire. Applies to requests with a session or scoped API
 * key, such as event polls, and to all event streams.
 */
export class CredentialRevocationWatcher {
  readonly #pending = new Map<string, Set<RequestAbortedOnCredentialRevocation>>();

  constructor(
    invalidations: Pick<CredentialInvalidationNotifier, 'listen'>,
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
   * Watches the credentials of a request that a session or a scoped API key has authenticated. Returns null for an
   * account that was authenticated by the API key without scopes, because the event queues end with the key.
   */
  watchRequestCredentials(owner: CredentialOwner): CredentialRevocationSignal | null {
    const key = owner.apiKey?.scoped;
    if (owner.session === undefined && key === undefined) return null;
    const controller = new AbortController();
    return { signal: controller.signal, release: this.#add(owner, controller) };
  }

  /**
   * Watches the credentials of an account's event stream. The credentials may be of any kind. Registers the stream
   * object itself, because the object takes less memory than an abort signal.
   *
   * @returns a function that stops watching the credentials
   */
  watchEventStreamCredentials(owner: CredentialOwner, stream: RequestAbortedOnCredentialRevocation): () => void {
    return this.#add(owner, stream);
  }

  #add(owner: CredentialOwner, request: RequestAbortedOnCredentialRevocation): () => void {
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

  #abortAt(timeMs: number | null, request: RequestAbortedOnCredentialRevocation): ClockTimer | null {
    if (timeMs === null) return null;
    const delayMs = Math.min(Math.max(timeMs - this.clock.now(), 0), maxTimerDelayMs);
    const timer = this.clock.setTimeout(() => request.abort(), delayMs);
    timer.unref?.();
    return timer;
  }

  #abort(tag: string): void {
    for (const request of this.#pending.get(tag) ?? []) request.abort();
  }

  #release(tags: readonly string[], request: RequestAbortedOnCredentialRevocation): void {
    for (const tag of tags) {
      const pending = this.#pending.get(tag);
      pending?.delete(request);
      if (pending?.size === 0) this.#pending.delete(tag);
    }
  }
}
