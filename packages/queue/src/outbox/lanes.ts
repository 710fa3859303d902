interface Deferred {
  promise: Promise<void>;
  resolve: () => void;
  reject: (error: unknown) => void;
}

function defer(): Deferred {
  let resolve = (): void => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
}

/**
 * Runs work by key: never concurrently for one key in this process. Requests that arrive while the key is busy cause
 * one more run afterwards, so that no request is served by a run that began before it (docs/contract/event-log.md 3,
 * Doorbell).
 */
export class Lanes {
  private readonly lanes = new Map<string, { next: Deferred | null; current: Promise<void> }>();

  /** Runs `work` for `key`; settles as the first run that began after this call. */
  request(key: string, work: () => Promise<void>): Promise<void> {
    const lane = this.lanes.get(key);
    if (!lane) return this.begin(key, work);
    lane.next ??= defer();
    return lane.next.promise;
  }

  /** Returns true if `work` for `key` would start immediately. */
  isFree(key: string): boolean {
    return !this.lanes.has(key);
  }

  /** Resolves when nothing runs any more. */
  async idle(): Promise<void> {
    while (this.lanes.size > 0) {
      await Promise.allSettled([...this.lanes.values()].map((lane) => lane.current));
    }
  }

  private begin(key: string, work: () => Promise<void>): Promise<void> {
    const lane: { next: Deferred | null; current: Promise<void> } = { next: null, current: Promise.resolve() };
    this.lanes.set(key, lane);
    lane.current = work().finally(() => {
      const { next } = lane;
      this.lanes.delete(key);
      if (next) this.begin(key, work).then(next.resolve, next.reject);
    });
    return lane.current;
  }
}
