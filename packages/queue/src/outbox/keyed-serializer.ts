interface DeferredPromise {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

function createDeferredPromise(): DeferredPromise {
  let resolve = (): void => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/**
 * Runs functions by key, at most one at a time for each key in this process. Calls during a run share one more run,
 * which begins after the current run. Each call thus gets the result of a run that began after the call
 * (docs/contract/event-log.md 3, Doorbell).
 */
export class SerialRunnerByKey {
  private readonly running = new Map<string, { next: DeferredPromise | null; current: Promise<void> }>();

  /**
   * Requests a run of `work` for `key` that begins after this call. Resolves or rejects with the result of that run.
   */
  requestRun(key: string, work: () => Promise<void>): Promise<void> {
    const run = this.running.get(key);
    if (!run) return this.beginRun(key, work);
    run.next ??= createDeferredPromise();
    return run.next.promise;
  }

  /** Returns true if no function is running for `key`, so that a newly requested function would start immediately. */
  isKeyIdle(key: string): boolean {
    return !this.running.has(key);
  }

  /** Returns a promise that resolves when no function is running for any key. */
  async waitUntilIdle(): Promise<void> {
    while (this.running.size > 0) {
      await Promise.allSettled([...this.running.values()].map((run) => run.current));
    }
  }

  private beginRun(key: string, work: () => Promise<void>): Promise<void> {
    const run: { next: DeferredPromise | null; current: Promise<void> } = { next: null, current: Promise.resolve() };
    this.running.set(key, run);
    run.current = work().finally(() => {
      const { next } = run;
      this.running.delete(key);
      if (next) this.beginRun(key, work).then(next.resolve, next.reject);
    });
    return run.current;
  }
}
