/** Time of work in milliseconds after which other work of the process gets a turn. */
const workMs = 10;

/** Lets other work of the process run during long work, which calls {@link due} between its pieces. */
export class Pauses {
  #sinceMs = performance.now();

  /** Pauses if the last pause was some time ago. */
  async due(): Promise<void> {
    if (performance.now() - this.#sinceMs < workMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#sinceMs = performance.now();
  }
}
