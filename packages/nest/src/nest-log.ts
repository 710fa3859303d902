import { Logger } from '@nestjs/common';

/** Logger with the interface of pino: each log call has an object of fields, followed by the message. */
interface FieldLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/**
 * Returns a logger that passes each log line to the logger of the Nest application, with the message first and the
 * fields second.
 */
export function createNestLog(context: string): FieldLogger {
  const logger = new Logger(context);
  return {
    debug: (fields, message) => logger.debug(message, fields),
    info: (fields, message) => logger.log(message, fields),
    warn: (fields, message) => logger.warn(message, fields),
    error: (fields, message) => logger.error(message, fields),
  };
}
