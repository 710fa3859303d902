import { Socket } from 'node:net';
import type { PoolClient } from 'pg';
import type { DatabaseConnectionActivity } from './admission/connection-activity.js';
import { readPgConnectionProperty } from './connection-property.js';

/** Maximum time between two checks for unresponsive connections, in milliseconds. */
const MAX_SILENCE_CHECK_INTERVAL_MS = 1_000;

/**
 * Number of bytes received on a connection, and the time in milliseconds without a further byte while a statement was
 * running.
 */
interface ConnectionSilenceRecord {
  readonly bytesRead: number;
  readonly durationMs: number;
}

/** Options of {@link UnresponsiveConnectionCloser}, which closes unresponsive database connections. */
export interface UnresponsiveConnectionCloserOptions {
  /** Activity of each open connection, by the client object of the connection. */
  readonly activities: ReadonlyMap<PoolClient, DatabaseConnectionActivity>;
  /** Default time limit of a statement, in milliseconds; undefined or 0 for no limit. */
  readonly statementTimeoutMs: number | undefined;
  /**
   * Time in milliseconds that is added to the time limit of a statement. Within this time, the server must report the
   * end of the statement.
   */
  readonly marginMs: number;
  /**
   * Callback that is called before an unresponsive connection is closed. The argument is the time without a received
   * byte, in milliseconds.
   */
  readonly onSilence: (silentMs: number) => void;
}

/**
 * Error of the statements on a connection whose server does not respond. Because of its code, callers treat the error
 * as an unavailable server.
 */
class UnresponsiveServerError extends Error {
  readonly code = 'ETIMEDOUT';

  constructor(silentMs: number) {
    super(`The database server has sent nothing for ${Math.round(silentMs / 1000)} s during a statement`);
    this.name = 'UnresponsiveServerError';
  }
}

/**
 * Closes connections whose server sends nothing for longer than a statement may take. The server itself ends a
 * statement at its time limit. If no response follows shortly after the limit, the server is paused or unreachable,
 * which TCP does not report. Statements without a time limit are not checked, except on connections to a former
 * primary. Such a connection is closed after the margin, because its server may be lost.
 */
export class UnresponsiveConnectionCloser {
  readonly #options: UnresponsiveConnectionCloserOptions;
  readonly #silences = new WeakMap<PoolClient, ConnectionSilenceRecord>();
  #timer: NodeJS.Timeout | undefined;
  #checkedAt = 0;

  constructor(options: UnresponsiveConnectionCloserOptions) {
    this.#options = options;
  }

  /** Starts the periodic checks for unresponsive connections. The checks end when no connection is open. */
  startPeriodicChecks(): void {
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

  #checkConnection(client: PoolClient, activity: DatabaseConnectionActivity, elapsedMs: number): void {
    const stream = readPgConnectionProperty(client, 'stream');
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
    stream.destroy(new UnresponsiveServerError(durationMs));
  }
}

/** Regular expression that matches SQL statements that change the statement time limit: SET, RESET and set_config. */
const timeLimitSettingStatementPattern =
  /\b(?:re)?set\s+(?:local\s+|session\s+)?statement_timeout\b|\bset_config\s*\(/i;

/**
 * Regular expression that finds the new time limit in an SQL statement: a number with or without quotes, or a
 * parameter. A number with a unit does not match.
 */
const newStatementTimeLimitPattern =
  /statement_timeout(?:'\s*,|\s*=|\s+to\b)\s*(?:'?(\d+)(?=['\s]*(?:[,;)]|$))|\$(\d+))/i;

/**
 * Returns the time limit in milliseconds that an SQL statement sets for later statements. Returns 0, which means no
 * limit, for a new limit that is not a plain number, such as `30s` or the default. Returns undefined if the statement
 * sets no limit.
 */
export function findStatementTimeLimitSetBySql(text: string, values: unknown): number | undefined {
  if (!text.includes('statement_timeout') || !timeLimitSettingStatementPattern.test(text)) return undefined;
  const [, number, position] = newStatementTimeLimitPattern.exec(text) ?? [];
  const value: unknown = position !== undefined && Array.isArray(values) ? values[Number(position) - 1] : number;
  const limitMs = value === undefined ? Number.NaN : Number(value);
  return Number.isNaN(limitMs) ? 0 : limitMs;
}
