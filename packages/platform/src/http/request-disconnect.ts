/**
 * Observes whether a request's client disconnects before it has received the whole response. Implements
 * `ClientDisconnectObserver` of `@switchboard/database`.
 */
export class RequestDisconnect {
  #hasOccurred = false;
  #isIgnored = false;
  #listeners: Set<() => void> | undefined;

  /** True after the client has disconnected, unless {@link ignoreLaterDisconnect} was called before the disconnect. */
  get hasOccurred(): boolean {
    return this.#hasOccurred;
  }

  /**
   * Calls `listener` once when the client disconnects.
   *
   * @returns a function that removes the listener
   */
  addListener(listener: () => void): () => void {
    const listeners = (this.#listeners ??= new Set());
    listeners.add(listener);
    return () => listeners.delete(listener);
  }

  /** Ignores a later disconnect, because the request has changed data and must complete. */
  ignoreLaterDisconnect(): void {
    this.#isIgnored = true;
    this.#listeners = undefined;
  }

  /** Records that the client has disconnected, and calls the listeners. */
  recordDisconnect(): void {
    if (this.#isIgnored || this.#hasOccurred) return;
    this.#hasOccurred = true;
    const listeners = this.#listeners;
    this.#listeners = undefined;
    for (const listener of listeners ?? []) listener();
  }
}
