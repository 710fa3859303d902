import { pino, stdSerializers } from 'pino';
import type { ChildLoggerOptions, DestinationStream, LevelWithSilent, Logger as PinoLogger } from 'pino';
import { redact } from './redact.js';
import { standardOutput } from './standard-output.js';

/** The logger of the house: pino. */
export type Logger = PinoLogger;

/** Settings of {@link createLogger}. */
export interface LoggerOptions {
  /** Least level that is written. */
  level: LevelWithSilent;
  /** The service's name, on every line. */
  name: string;
  /** Destination of lines; standard output when absent. */
  destination?: DestinationStream;
}

/**
 * A pino logger that writes one JSON object a line. Values of `authorization`, cookies, `password`, `api_key`,
 * `token` and `secret` are hidden at any depth and in any spelling, in members of errors and in child bindings too.
 *
 * Lines to standard output are written before the call returns, as long as its reader keeps up: what a process said
 * before it died is there, and handing single lines to a thread was measured to cost more than writing them.
 */
export function createLogger(options: LoggerOptions): Logger {
  const logger = pino(
    {
      level: options.level,
      name: options.name,
      formatters: {
        level: (label) => ({ level: label }),
        log: redact,
      },
      serializers: { err: serializeError, error: serializeError },
    },
    options.destination ?? standardOutput(),
  );
  // Pino gives formatters no say in the bindings of children. Children inherit this method.
  const makeChild = logger.child;
  Object.defineProperty(logger, 'child', {
    value(this: Logger, bindings: Record<string, unknown>, childOptions?: ChildLoggerOptions): Logger {
      return Reflect.apply(makeChild<never>, this, [redact(bindings), childOptions]);
    },
  });
  return logger;
}

/** Errors of libraries carry requests, headers and rows; what names a secret in them is hidden too. */
function serializeError(error: unknown): unknown {
  return error instanceof Error ? redact({ ...stdSerializers.err(error), raw: undefined }) : error;
}
