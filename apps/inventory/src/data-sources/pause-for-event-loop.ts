/** Maximum time in milliseconds for which long work may occupy the event loop before a pause. */
const maxEventLoopOccupationMs = 10;

/** Lets other requests run during long work. The long-running code calls {@link pauseIfDue} between steps. */
export class EventLoopPauser {
  #sinceMs = performance.now();

  /** Pauses until the next round of the event loop, if the last pause was more than 10 ms ago. */
  async pauseIfDue(): Promise<void> {
    if (performance.now() - this.#sinceMs < maxEventLoopOccupationMs) return;
    await new Promise((resolve) => setImmediate(resolve));
    this.#sinceMs = performance.now();
  }
}
