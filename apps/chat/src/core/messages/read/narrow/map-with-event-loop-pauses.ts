/** Time in milliseconds after which a long computation pauses, so that the event loop can run other work. */
const maxEventLoopBlockingMs = 20;

/** Callbacks that resume paused computations, in the order in which the computations paused. */
const resumePausedComputationCallbacks: (() => void)[] = [];

/** Resolves in a later iteration of the event loop. Only one paused computation resumes per iteration. */
function waitForEventLoop(): Promise<void> {
  return new Promise((resolve) => {
    if (resumePausedComputationCallbacks.push(resolve) === 1) setImmediate(resumeNextPausedComputation);
  });
}

function resumeNextPausedComputation(): void {
  resumePausedComputationCallbacks.shift()?.();
  if (resumePausedComputationCallbacks.length > 0) setImmediate(resumeNextPausedComputation);
}

/**
 * Maps the items of a list. Pauses every few milliseconds, so that the event loop can run other work even during the
 * processing of thousands of long texts. Concurrent calls continue one after the other, because together they would
 * block the event loop for a long time.
 */
export async function mapWithEventLoopPauses<T, R>(items: readonly T[], map: (item: T) => R): Promise<R[]> {
  const results: R[] = [];
  if (resumePausedComputationCallbacks.length > 0) await waitForEventLoop();
  let begun = performance.now();
  for (const item of items) {
    results.push(map(item));
    if (performance.now() - begun < maxEventLoopBlockingMs) continue;
    await waitForEventLoop();
    begun = performance.now();
  }
  return results;
}
