import type { QueueClock, QueueLogger, QueueTx } from '@switchboard/queue';

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
  #timer: unknown;
  #running: Promise<void> = Promise.resolve();
  #stopped = true;

  constructor(environment: FormerSecretsEnvironment) {
    this.#environment = environment;
  }

  /** Forgets now, and then again and again: every hour, or as often as a secret's time ends if that is sooner. */
  start(): void {
    this.#stopped = false;
    this.#schedule(0);
  }

  /** Ends with what is under way. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#environment.clock.clearTimeout(this.#timer);
    await this.#running;
  }

  /** Forgets what is over. Returns how many secrets. */
  async run(): Promise<number> {
    const { database, overlapMs, clock } = this.#environment;
    const { rows } = await database.query(FORGET, [new Date(clock.now() - overlapMs)]);
    return rows.length;
  }

  #schedule(delayMs: number): void {
    const { clock, overlapMs } = this.#environment;
    this.#timer = clock.setTimeout(() => {
      this.#running = this.#runLogged().then(() => {
        if (!this.#stopped) this.#schedule(Math.min(hourMs, Math.max(secondMs, overlapMs)));
      });
    }, delayMs);
  }

  async #runLogged(): Promise<void> {
    const { logger } = this.#environment;
    try {
      const count = await this.run();
      if (count > 0) logger.info({ count }, 'former webhook secrets were forgotten');
    } catch (error) {
      logger.warn(
        { error: error instanceof Error ? error.message : String(error) },
        'former secrets were not forgotten',
      );
    }
  }
}
