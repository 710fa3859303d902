/**
 * Clock and timers that the queue package uses. Tests replace this object. The result of `setTimeout` is passed to
 * `clearTimeout`.
 */
export interface QueueClock {
  /** Returns the current time in milliseconds since 1970. */
  now(): number;
  setTimeout(run: () => void, ms: number): unknown;
  clearTimeout(timer: unknown): void;
}

/** Clock with the real time. The timers of the clock do not prevent the process from ending. */
export const processClock: QueueClock = {
  now: () => Date.now(),
  setTimeout: (run, ms) => setTimeout(run, ms).unref(),
  clearTimeout: (timer) => {
    if (timer instanceof Object) clearTimeout(timer as NodeJS.Timeout);
  },
};

/** Logger with the interface of pino: each log call has an object of fields, followed by the message. */
export interface QueueLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Logger that discards all log lines. */
export const silentLogger: QueueLogger = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} };

/**
 * Trace fields of a request, which are stored with the rows and jobs that the request creates. The fields connect log
 * lines of the request with log lines of the later work.
 */
export interface TraceContext {
  requestId?: string | undefined;
  /** Value of the W3C Trace Context header `traceparent`. */
  traceparent?: string | undefined;
}

/** Maximum length of the error texts that the queue stores and logs, in characters. */
export const MAX_ERROR_TEXT_LENGTH = 2_000;

/**
 * Returns the text of an error for the log and for the column `error`. The text consists of name and message without a
 * stack trace, at most 2,000 characters.
 */
export function formatErrorText(error: unknown): string {
  const text = error instanceof Error ? `${error.name}: ${error.message}` : String(error);
  return text.slice(0, MAX_ERROR_TEXT_LENGTH);
}

/**
 * Returns a copy of an options object without undefined values. Spreading an explicit undefined value would replace a
 * default.
 */
export function omitUndefinedValues<T extends object>(options: T): { [K in keyof T]: Exclude<T[K], undefined> } {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined)) as {
    [K in keyof T]: Exclude<T[K], undefined>;
  };
}
