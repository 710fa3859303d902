import { systemClock, type Clock } from '../clock.js';
import type { Logger } from '../logging/logger.js';

/** A server that a service needs when it starts. */
export interface NeededServer {
  /** As in sentences: "PostgreSQL". */
  readonly name: string;
  /** The environment variable with the address. */
  readonly variable: string;
  /** Resolves when the server can be used. */
  readonly connect: () => Promise<void>;
  /** True for errors that may go away by themselves. Default: all are. */
  readonly isTemporary?: (error: unknown) => boolean;
}

/** Options of {@link waitUntilReachable}. */
export interface WaitOptions {
  /** Longest time to wait, in milliseconds; 0 is one attempt. */
  readonly timeoutMs: number;
  readonly logger: Pick<Logger, 'info'>;
  readonly clock?: Clock;
}

/** A server could not be reached in time. The message names it, its variable and the last error. */
export class UnreachableError extends Error {
  constructor({ name, variable }: NeededServer, seconds: number, cause: unknown) {
    super(`${name} (${variable}) could not be reached within ${seconds} s: ${reasonOf(cause)}`, { cause });
    this.name = 'UnreachableError';
  }
}

/** Pause between two attempts, in milliseconds. */
const PAUSE_MS = 500;

/** Time between two log lines about the same wait, in milliseconds. */
const LOG_EVERY_MS = 10_000;

/**
 * Waits until a server can be used: containers start in any order. Logs what is waited for, at once and every 10 s.
 *
 * @throws UnreachableError after `timeoutMs`
 * @throws an error of `connect` that is not temporary
 */
export async function waitUntilReachable(
  server: NeededServer,
  { timeoutMs, logger, clock = systemClock }: WaitOptions,
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
      if (waitedMs >= timeoutMs) throw new UnreachableError(server, Math.round(waitedMs / 1000), error);
      if (clock.now() - loggedAt >= LOG_EVERY_MS) {
        logger.info({ variable, reason: reasonOf(error) }, `waiting for ${name}`);
        loggedAt = clock.now();
      }
    }
    await new Promise<void>((resolve) => clock.setTimeout(resolve, PAUSE_MS));
  }
}

/** The sockets of a name with several addresses fail together, with an error that has no message. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message : String(error);
}
