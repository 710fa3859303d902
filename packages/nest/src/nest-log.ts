import { Logger } from '@nestjs/common';

/** Logger with the interface of pino: an object of fields, then the message. */
interface FieldLogger {
  debug(fields: object, message: string): void;
  info(fields: object, message: string): void;
  warn(fields: object, message: string): void;
  error(fields: object, message: string): void;
}

/** Returns a logger that passes its lines to the logger of the Nest application: the message, then the fields. */
export function createNestLog(context: string): FieldLogger {
  const logger = new Logger(context);
  return {
    debug: (fields, message) => logger.debug(message, fields),
    info: (fields, message) => logger.log(message, fields),
    warn: (fields, message) => logger.warn(message, fields),
    error: (fields, message) => logger.error(message, fields),
  };
}
