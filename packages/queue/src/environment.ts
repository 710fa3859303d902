/**
 * Clock and timers that this package uses. Tests replace them. The result of `setTimeout` is passed to `clearTimeout`.
 */
export interface QueueClock {
  /** Returns the current time in milliseconds since 1970. */
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** Clock with the real time. Its timers do not prevent the process from ending. */
export const processClock: QueueClock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms).unref(),
  clearTimeout: (timer) => {
    if (timer instanceof Object) clearTimeout(timer as NodeJS.Timeout);
  },
};

/** Logger with the interface of pino: an object of fields, then the message. */
export interface QueueLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Logger without output. */
export const silentLogger: QueueLogger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * Trace fields of a request, stored with the rows and jobs that it creates. They connect the log lines of the request
 * with those of the later work.
 */
export interface TraceContext {
  requestId?: string | undefined;
  /** `traceparent` header of W3C Trace Context. */
  traceparent?: string | undefined;
}

/**
 * Returns the text of an error for the log and the `error` column: name and message without a stack, at most 2,000
 * characters.
 */
export function formatErrorText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, 2000);
}

/** Returns options without undefined values: spreading an explicit undefined would replace a default. */
export function omitUndefinedValues<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
