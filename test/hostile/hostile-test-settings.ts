/** Limits for response times and memory during the hostile requests. */
export interface HostileLimits {
  /** Maximum duration of one response to a hostile request, in milliseconds. */
  readonly responseMs: number;
  /** Maximum duration of a response of `/health/live` during a hostile request, in milliseconds. */
  readonly liveMs: number;
  /** Maximum growth of the memory of PostgreSQL's processes during the hostile requests of the suite, in bytes. */
  readonly growthBytes: number;
  /** Time in milliseconds after the suite within which PostgreSQL must release most of its additional memory. */
  readonly settleMs: number;
}

const exactLimits: HostileLimits = { responseMs: 2_000, liveMs: 200, growthBytes: 200_000_000, settleMs: 10_000 };

/**
 * Returns the limits for the tests with hostile requests. With HOSTILE=long (`npm run test:hostile`), returns the exact
 * limits. Otherwise returns limits that are five times as high, for busy machines.
 */
export function readHostileLimits(): HostileLimits {
  if (process.env['HOSTILE'] === 'long') return exactLimits;
  return {
    ...exactLimits,
    responseMs: exactLimits.responseMs * 5,
    liveMs: exactLimits.liveMs * 5,
    settleMs: exactLimits.settleMs * 5,
  };
}

/** Returns true for a run that sends only every third request of a subject, unless the run is the long form of the suite. */
export function isShortHostileRun(): boolean {
  return process.env['HOSTILE'] !== 'long';
}
