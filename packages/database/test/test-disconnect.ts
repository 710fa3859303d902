import type { ClientDisconnect } from '../src/index.js';

/** A client disconnect triggered by a test. */
export class TestDisconnect implements ClientDisconnect {
  happened = false;
  ignored = false;
  readonly #listeners = new Set<() => void>();

  listen(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  ignore(): void {
    this.ignored = true;
  }

  occur(): void {
    if (this.ignored) return;
    this.happened = true;
    for (const listener of this.#listeners) listener();
  }

  get listeners(): number {
    return this.#listeners.size;
  }
}
