import { Socket } from 'node:net';
import type { PoolClient } from 'pg';
import type { ConnectionActivity } from './admission/connection-activity.js';
import { readConnectionProperty } from './connection-property.js';

/** Maximum time between two checks, in milliseconds. */
const MAX_SILENCE_CHECK_INTERVAL_MS = 1_000;

/** Received bytes of a connection, and the time for which no more have arrived although a statement was running. */
interface ConnectionSilence {
  readonly bytesRead: number;
  readonly durationMs: number;
}

/** Options of {@link SilentConnectionCloser}. */
export interface SilentConnectionsOptions {
  /** Activity of each connection. */
  readonly activities: ReadonlyMap<PoolClient, ConnectionActivity>;
  /** Default time limit of a statement, in milliseconds; undefined or 0 means no limit. */
  readonly statementTimeoutMs: number | undefined;
  /** Time after the limit of a statement within which the server must report the end of the statement, in milliseconds. */
  readonly marginMs: number;
  /** Called for a connection without a response, before it is closed. */
  readonly onSilence: (silentMs: number) => void;
}

/** Error of the statements on a connection without a response. The code makes it an error of an unavailable server. */
class SilentServerError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(silentMs: number) {
    super(`The database server has sent nothing for ${Math.round(silentMs / 1000)} s during a statement`);
    this.name = 'SilentServerError';
  }
}

/**
 * Closes connections whose server sends nothing for longer than a statement may take. The server itself ends a statement
 * at its time limit. Without a response shortly after the limit, the server is paused or unreachable, and TCP reports
 * neither. Statements without a time limit are not watched, except on connections that lead to a former primary: they are
 * closed after the margin, because their server may be lost.
 */
export class SilentConnectionCloser {
  readonly #options: SilentConnectionsOptions;
  readonly #silences = new WeakMap<PoolClient, ConnectionSilence>();
  #timer: NodeJS.Timeout | undefined;
  #checkedAt = 0;

  constructor(options: SilentConnectionsOptions) {
    this.#options = options;
  }

  /** Starts the checks, which end when no connection is open. */
  start(): void {
    const intervalMs = Math.min(MAX_SILENCE_CHECK_INTERVAL_MS, this.#options.marginMs);
    this.#checkedAt = performance.now();
    this.#timer ??= setInterval(() => this.#check(intervalMs), intervalMs).unref();
  }

  #check(intervalMs: number): void {
    const now = performance.now();
    // A process that was paused has not yet read what the server has sent meanwhile, so the pause does not count.
    const elapsedMs = Math.min(now - this.#checkedAt, 2 * intervalMs);
    this.#checkedAt = now;
    for (const [client, activity] of this.#options.activities) this.#checkConnection(client, activity, elapsedMs);
    if (this.#options.activities.size > 0) return;
    clearInterval(this.#timer);
    this.#timer = undefined;
  }

  #checkConnection(client: PoolClient, activity: ConnectionActivity, elapsedMs: number): void {
    const stream = readConnectionProperty(client, 'stream');
    const limitMs = activity.statementLimitMs ?? this.#options.statementTimeoutMs ?? 0;
    const isWatched = limitMs > 0 || activity.leadsToFormerPrimary;
    if (!activity.isStatementRunning || !isWatched || !(stream instanceof Socket)) {
      this.#silences.delete(client);
      return;
    }
    const known = this.#silences.get(client);
    const { bytesRead } = stream;
    const durationMs = known?.bytesRead === bytesRead ? known.durationMs + elapsedMs : 0;
    this.#silences.set(client, { bytesRead, durationMs });
    if (durationMs <= (activity.leadsToFormerPrimary ? 0 : limitMs) + this.#options.marginMs) return;
    this.#silences.delete(client);
    if (!activity.leadsToFormerPrimary) this.#options.onSilence(durationMs);
    stream.destroy(new SilentServerError(durationMs));
  }
}

/** Finds the statements that change the time limit: SET, RESET and set_config. */
const timeLimitStatementPattern = /\b(?:re)?set\s+(?:local\s+|session\s+)?statement_timeout\b|\bset_config\s*\(/i;

/** Finds a new time limit that is a number in quotes or without, or a parameter. A number with a unit is not found. */
const newTimeLimitPattern = /statement_timeout(?:'\s*,|\s*=|\s+to\b)\s*(?:'?(\d+)(?=['\s]*(?:[,;)]|$))|\$(\d+))/i;

/**
 * Returns the time limit that a statement sets for the statements after it, in milliseconds. Returns 0, no limit, for a
 * new limit that is not a number, such as `30s` or the default. Returns undefined for a statement that sets no limit.
 */
export function findTimeLimitSetByStatement(text: string, values: unknown): number | undefined {
  if (!text.includes('statement_timeout') || !timeLimitStatementPattern.test(text)) return undefined;
  const [, number, position] = newTimeLimitPattern.exec(text) ?? [];
  const value: unknown = position !== undefined && Array.isArray(values) ? values[Number(position) - 1] : number;
  const limitMs = value === undefined ? Number.NaN : Number(value);
  return Number.isNaN(limitMs) ? 0 : limitMs;
}
