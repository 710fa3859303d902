import { PeriodicTask, type QueueClock, type QueueLogger, type QueueTx } from '@switchboard/queue';

/** Services and settings on which {@link RotatedSecretCleanup} depends. */
export interface RotatedSecretCleanupDependencies {
  readonly database: QueueTx;
  /** Time, in milliseconds, for which an old webhook secret remains valid after it was replaced. */
  readonly overlapMs: number;
  readonly clock: QueueClock;
  readonly logger: Pick<QueueLogger, 'info' | 'warn'>;
}

// Checked first, because any UPDATE of the table, even of no row, makes all processes read the event rules again.
const HAS_EXPIRED_SECRET_SQL = 'SELECT FROM extras_webhook WHERE secret_rotated <= $1 LIMIT 1';

/** SQL statement that removes expired secrets from webhooks. Returns the number of removed secrets for each webhook. */
const REMOVE_EXPIRED_SECRETS_SQL = `
  WITH due AS (SELECT id, former_secrets AS before FROM extras_webhook WHERE secret_rotated <= $1 FOR NO KEY UPDATE),
  kept AS (
    SELECT due.id, due.before, coalesce(jsonb_agg(one.value ORDER BY one.ordinality) FILTER (WHERE one.value IS NOT NULL), '[]') AS after
    FROM due LEFT JOIN LATERAL jsonb_array_elements(due.before) WITH ORDINALITY one
      ON (one.value ->> 'rotated')::double precision > extract(epoch FROM $1::timestamptz) * 1000
    GROUP BY due.id, due.before
  )
  UPDATE extras_webhook w SET former_secrets = kept.after,
    secret_rotated = to_timestamp((kept.after -> -1 ->> 'rotated')::double precision / 1000)
  FROM kept WHERE w.id = kept.id
  RETURNING jsonb_array_length(kept.before) - jsonb_array_length(kept.after) AS removed`;

const millisecondsPerHour = 3_600_000;
const millisecondsPerSecond = 1_000;

/**
 * Deletes old webhook secrets that were replaced, when they are no longer valid. The service does not use expired
 * secrets even before they are deleted. Several processes can run the deletion at the same time.
 */
export class RotatedSecretCleanup {
  readonly #environment: RotatedSecretCleanupDependencies;
  readonly #repeating: PeriodicTask;

  constructor(environment: RotatedSecretCleanupDependencies) {
    const { overlapMs, clock, logger } = environment;
    this.#environment = environment;
    this.#repeating = new PeriodicTask({
      clock,
      run: async () => {
        const count = await this.removeExpiredSecrets();
        if (count > 0) logger.info({ count }, 'deleted expired webhook secrets');
      },
      failed: (error) => logger.warn({ err: error }, 'expired webhook secrets could not be deleted'),
      restMs: () => Math.min(millisecondsPerHour, Math.max(millisecondsPerSecond, overlapMs)),
    });
  }

  /** Starts deleting expired webhook secrets: at startup and then hourly, or more often if secrets expire sooner. */
  start(): void {
    this.#repeating.start();
  }

  /** Stops deleting expired webhook secrets, after the current deletion has ended. */
  stop(): Promise<void> {
    return this.#repeating.stop();
  }

  /** Deletes the webhook secrets that have expired. Returns the number of deleted secrets. */
  async removeExpiredSecrets(): Promise<number> {
    const { database, overlapMs, clock } = this.#environment;
    const before = [new Date(clock.now() - overlapMs)];
    if ((await database.query(HAS_EXPIRED_SECRET_SQL, before)).rows.length === 0) return 0;
    const { rows } = await database.query<{ removed: number }>(REMOVE_EXPIRED_SECRETS_SQL, before);
    return rows.reduce((sum, { removed }) => sum + removed, 0);
  }
}
