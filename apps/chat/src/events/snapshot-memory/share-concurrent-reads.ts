interface RunningAndNextSharedWork {
  running: Promise<unknown>;
  next: Promise<unknown> | undefined;
}

/**
 * Shares asynchronous work between concurrent callers. A caller receives only the result of work that started after the
 * call, so that the result is never outdated.
 */
export class ConcurrentWorkSharer {
  readonly #flights = new Map<string, RunningAndNextSharedWork>();

  /**
   * Runs the work and returns its result. If work with the same key is already running, waits for the next execution,
   * which starts when the current execution ends.
   */
  runOrJoinWork<T>(key: string, work: () => Promise<T>): Promise<T> {
    const flight = this.#flights.get(key);
    if (flight === undefined) return this.#start(key, work);
    const ended = flight.running.then(
      () => undefined,
      () => undefined,
    );
    flight.next ??= ended.then(() => this.#start(key, work));
    return flight.next as Promise<T>;
  }

  #start<T>(key: string, work: () => Promise<T>): Promise<T> {
    const running = work();
    const flight: RunningAndNextSharedWork = { running, next: undefined };
    this.#flights.set(key, flight);
    const end = (): void => {
      if (flight.next === undefined) this.#flights.delete(key);
    };
    running.then(end, end);
    return running;
  }
}
