import type { Database } from '@switchboard/database';
import type { Clock, Logger } from '@switchboard/platform';
import { PeriodicTask } from '@switchboard/queue';
import type { ModelHookServices } from '../engine/model-hook-services.js';
import { maskStoredSecrets } from './mask-stored-secrets.js';
import { encryptStoredDataSourceSecrets } from './encrypt-stored-parameters.js';

export interface SecretMaskingOptions {
  readonly database: Database;
  readonly services: Pick<ModelHookServices, 'seal'>;
  readonly clock: Clock;
  readonly logger: Pick<Logger, 'info' | 'warn'>;
}

/**
 * Delay in milliseconds between startup and the second run of the secret masking. Processes of the older version have
 * ended after this delay.
 */
const secondMaskingRunDelayMs = 600_000;

const millisecondsPerDay = 86_400_000;

/**
 * Encrypts or masks secret parameters of data sources that older versions stored in clear. The work runs at startup,
 * after ten minutes and then daily, because processes of the older version may still run during an update.
 */
export class SecretMasking {
  readonly #task: PeriodicTask;
  readonly #stopping = new AbortController();
  #runs = 0;

  constructor(private readonly options: SecretMaskingOptions) {
    const { clock, logger } = options;
    this.#task = new PeriodicTask({
      clock,
      run: () => this.encryptAndMaskStoredSecrets(),
      failed: (err) => logger.warn({ err }, 'stored secrets of data sources could not be masked'),
      restMs: () => (this.#runs === 1 ? secondMaskingRunDelayMs : millisecondsPerDay),
    });
  }

  /** Starts the first run of the secret masking, and schedules the following runs. */
  start(): void {
    this.#task.start();
  }

  /** Stops the secret masking after the current batch of rows. */
  stop(): Promise<void> {
    this.#stopping.abort();
    return this.#task.stop();
  }

  /** Encrypts secrets in stored parameters, and masks secrets in change records, outbox rows and webhook deliveries. */
  async encryptAndMaskStoredSecrets(): Promise<void> {
    const { database, logger } = this.options;
    this.#runs += 1;
    await encryptStoredDataSourceSecrets(this.options);
    const masked = await maskStoredSecrets(database, this.#stopping.signal);
    if (Object.values(masked).some((count) => count > 0)) logger.info(masked, 'masked stored secrets of data sources');
  }
}
