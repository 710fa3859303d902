import type { ClientDisconnectObserver } from '../src/index.js';

/** Simulated disconnect of a client, which a test triggers. */
export class TestDisconnect implements ClientDisconnectObserver {
  hasOccurred = false;
  ignored = false;
  readonly #listeners = new Set<() => void>();

  addListener(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  ignoreLaterDisconnect(): void {
    this.ignored = true;
  }

  trigger(): void {
    if (this.ignored) return;
    this.hasOccurred = true;
    for (const listener of this.#listeners) listener();
  }

  get listeners(): number {
    return this.#listeners.size;
  }
}
