import { pino, stdSerializers } from 'pino';
import type { ChildLoggerOptions, DestinationStream, LevelWithSilent, Logger as PinoLogger } from 'pino';
import { redactLogFields } from './redact-log-fields.js';
import { getStandardOutput } from './standard-output.js';

/** Logger of the library pino, which all services use. */
export type Logger = PinoLogger;

/** Level, service name and destination of {@link createLogger}. */
export interface LoggerOptions {
  /** Lowest level of the log lines that are written. */
  level: LevelWithSilent;
  /** Name of the service, which every log line contains. */
  name: string;
  /** Stream to which log lines are written. Default: standard output. */
  destination?: DestinationStream;
}

/**
 * Creates a pino logger that writes one JSON object per line. Values of `authorization`, cookies, `password`,
 * `api_key`, `token` and `secret` are redacted at any depth and in any letter case. This includes properties of errors
 * and child bindings. Lines to standard output are written before the log call returns, if the reader is fast enough.
 * The last lines of a dying process are therefore not lost. Measurements showed that passing single lines to a thread
 * takes longer than writing them.
 */
export function createLogger(options: LoggerOptions): Logger {
  const logger = pino(
    {
      level: options.level,
      name: options.name,
      formatters: {
        level: (label) => ({ level: label }),
        log: redactLogFields,
      },
      serializers: { err: serializeError, error: serializeError },
    },
    options.destination ?? getStandardOutput(),
  );
  // Pino does not apply formatters to the bindings of children. Children inherit this method.
  const makeChild = logger.child;
  Object.defineProperty(logger, 'child', {
    value(this: Logger, bindings: Record<string, unknown>, childOptions?: ChildLoggerOptions): Logger {
      return Reflect.apply(makeChild<never>, this, [redactLogFields(bindings), childOptions]);
    },
  });
  return logger;
}

/**
 * Converts an error to an object for the log, with secrets redacted, because errors of libraries may contain requests,
 * headers and database rows.
 */
function serializeError(error: unknown): unknown {
  return error instanceof Error ? redactLogFields({ ...stdSerializers.err(error), raw: undefined }) : error;
}
