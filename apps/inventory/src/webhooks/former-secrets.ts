import type { QueueClock, QueueLogger, QueueTx } from '@switchboard/queue';
import { Repeating } from '../repeating.js';

/** What forgetting works with. */
export interface FormerSecretsEnvironment {
  readonly database: QueueTx;
  /** How long a former secret is valid, in milliseconds. */
  readonly overlapMs: number;
  readonly clock: QueueClock;
  readonly logger: Pick<QueueLogger, 'info' | 'warn'>;
}

const FORGET = `
  UPDATE extras_webhook SET former_secret = '', secret_rotated = NULL WHERE secret_rotated <= $1 RETURNING id`;

const hourMs = 3_600_000;
const secondMs = 1_000;

/**
 * Removes the former secrets of webhooks whose time is over. None of them is used after that, whether or not it was
 * removed yet. Any number of processes may do so.
 */
export class FormerSecrets {
  readonly #environment: FormerSecretsEnvironment;
  readonly #repeating: Repeating;

  constructor(environment: FormerSecretsEnvironment) {
    const { overlapMs, clock, logger } = environment;
    this.#environment = environment;
    this.#repeating = new Repeating({
      clock,
      run: async () => {
        const count = await this.run();
        if (count > 0) logger.info({ count }, 'former webhook secrets were forgotten');
      },
      failed: (error) => logger.warn({ err: error }, 'former secrets were not forgotten'),
      restMs: () => Math.min(hourMs, Math.max(secondMs, overlapMs)),
    });
  }

  /** Forgets now, and then again and again: every hour, or as often as a secret's time ends if that is sooner. */
  start(): void {
    this.#repeating.start();
  }

  /** Ends with what is under way. */
  stop(): Promise<void> {
    return this.#repeating.stop();
  }

  /** Forgets what is over. Returns how many secrets. */
  async run(): Promise<number> {
    const { database, overlapMs, clock } = this.#environment;
    const { rows } = await database.query(FORGET, [new Date(clock.now() - overlapMs)]);
    return rows.length;
  }
}
