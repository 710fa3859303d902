import type { LoggerService } from '@nestjs/common';
import type { Logger } from '../logging/logger.js';

/** Writes log lines of Nest to the service's logger. Startup lines about modules and routes get the level debug. */
export class NestLogger implements LoggerService {
  constructor(private readonly logger: Logger) {}

  log(message: unknown, ...details: unknown[]): void {
    this.logger.debug({ nest: details }, String(message));
  }

  error(message: unknown, ...details: unknown[]): void {
    this.logger.error({ err: message instanceof Error ? message : undefined, nest: details }, String(message));
  }

  warn(message: unknown, ...details: unknown[]): void {
    this.logger.warn({ nest: details }, String(message));
  }

  debug(message: unknown, ...details: unknown[]): void {
    this.logger.debug({ nest: details }, String(message));
  }

  verbose(message: unknown, ...details: unknown[]): void {
    this.logger.trace({ nest: details }, String(message));
  }

  fatal(message: unknown, ...details: unknown[]): void {
    this.logger.fatal({ nest: details }, String(message));
  }
}
