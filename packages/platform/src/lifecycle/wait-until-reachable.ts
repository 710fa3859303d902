import { systemClock, type Clock } from '../clock.js';
import type { Logger } from '../logging/logger.js';

/** A server that a service needs when it starts. */
export interface RequiredServer {
  /** Name of the server in messages, such as "PostgreSQL". */
  readonly name: string;
  /** Name of the environment variable with the address of the server. */
  readonly variable: string;
  /** Function that connects to the server. The returned promise resolves when the server can be used. */
  readonly connect: () => Promise<void>;
  /** Returns true for errors that may disappear while waiting. If undefined, all errors may disappear. */
  readonly isTemporary?: (error: unknown) => boolean;
}

/** Time limit, logger and clock of {@link waitUntilReachable}. */
export interface WaitUntilReachableOptions {
  /** Maximum time to wait for the server, in milliseconds; 0 for a single attempt. */
  readonly timeoutMs: number;
  readonly logger: Pick<Logger, 'info'>;
  readonly clock?: Clock;
}

/**
 * Error for a server that could not be reached in time. The message contains the name of the server, the environment
 * variable of its address, and the last error.
 */
export class ServerUnreachableError extends Error {
  constructor({ name, variable }: RequiredServer, seconds: number, cause: unknown) {
    super(`${name} (${variable}) could not be reached within ${seconds} s: ${getErrorMessage(cause)}`, { cause });
    this.name = 'ServerUnreachableError';
  }
}

/** Pause between two attempts to connect to a server, in milliseconds. */
const CONNECT_RETRY_PAUSE_MS = 500;

/** Time between two log lines about waiting for the same server, in milliseconds. */
const WAIT_LOG_INTERVAL_MS = 10_000;

/**
 * Waits until a server can be used, because containers may start in any order. Logs the name of the server immediately
 * and every 10 s.
 *
 * @throws ServerUnreachableError after `timeoutMs`
 * @throws Error of `connect` that is not temporary
 */
export async function waitUntilReachable(
  server: RequiredServer,
  { timeoutMs, logger, clock = systemClock }: WaitUntilReachableOptions,
): Promise<void> {
  const { name, variable, connect, isTemporary = () => true } = server;
  const startedAt = clock.now();
  let loggedAt = Number.NEGATIVE_INFINITY;
  for (;;) {
    try {
      await connect();
      return;
    } catch (error) {
      if (!isTemporary(error)) throw error;
      const waitedMs = clock.now() - startedAt;
      if (waitedMs >= timeoutMs) throw new ServerUnreachableError(server, Math.round(waitedMs / 1000), error);
      if (clock.now() - loggedAt >= WAIT_LOG_INTERVAL_MS) {
        logger.info({ variable, reason: getErrorMessage(error) }, `waiting for ${name}`);
        loggedAt = clock.now();
      }
    }
    await new Promise<void>((resolve) => clock.setTimeout(resolve, CONNECT_RETRY_PAUSE_MS));
  }
}

/**
 * Returns the message of an error. If connections to all addresses of a host name fail, the error is an AggregateError
 * without a message. For such an error, returns the messages of the collected errors.
 */
export function getErrorMessage(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(getErrorMessage).join(', ');
  return error instanceof Error ? error.message : String(error);
}
