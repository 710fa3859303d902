/** Time functions of this package, injected for tests. The result of `setTimeout` is passed to `clearTimeout`. */
export interface QueueClock {
  /** Milliseconds since 1970. */
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** The clock of the process. Its timers do not keep the process alive. */
export const processClock: QueueClock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms).unref(),
  clearTimeout: (timer) => {
    if (timer instanceof Object) clearTimeout(timer as NodeJS.Timeout);
  },
};

/** A logger as pino has it: an object of fields first, then the sentence. */
export interface QueueLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Logger without output. */
export const silentLogger: QueueLogger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * Trace fields stored with a row or job by the request that caused it: log lines on both sides can be joined by them.
 */
export interface TraceContext {
  requestId?: string | undefined;
  /** W3C Trace Context, the `traceparent` header. */
  traceparent?: string | undefined;
}

/** A text for the log and for the `error` column: the message, without a stack, at most 2,000 characters. */
export function errorText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, 2000);
}

/** Spreading must not replace a default by an explicit undefined. */
export function definedOnly<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
