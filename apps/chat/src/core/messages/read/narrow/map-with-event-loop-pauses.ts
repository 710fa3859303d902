/** Time in milliseconds after which a long computation lets the event loop run other work. */
const maxEventLoopBlockingMs = 20;

/** Computations that wait to continue, in the order of their arrival. */
const pausedCalls: (() => void)[] = [];

/** Resolves in a later turn of the event loop, in which no other waiting computation continues. */
function waitForEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (pausedCalls.push(resolve) === 1) setImmediate(resumeNextCall);
  });
}

function resumeNextCall(): void {
  pausedCalls.shift()?.();
  if (pausedCalls.length > 0) setImmediate(resumeNextCall);
}

/**
 * Maps the items of a list. Lets the event loop run other work every few milliseconds, so that thousands of long texts
 * do not block it. Concurrent calls continue one after the other, because together they would block the event loop for
 * a long time.
 */
export async function mapWithPauses<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  if (pausedCalls.length > 0) await waitForEventLoop();
  let begun = performance.now();
  for (const item of items) {
    results.push(map(item));
    if (performance.now() - begun < maxEventLoopBlockingMs) continue;
    await waitForEventLoop();
    begun = performance.now();
  }
  return results;
}
