import type { Logger } from '@switchboard/platform';
import { Jobs } from '@switchboard/queue';
import { type DeliveryJobDefinition, defineDeliveryJob } from './delivery-queue.js';
import { type WebhookEnv, webhookSettings } from './settings.js';

/** Configuration of delivery jobs. */
export type DeliveryJobsConfig = WebhookEnv & {
  readonly REDIS_URL: string;
  readonly REDIS_KEY_PREFIX: string;
  readonly SHUTDOWN_TIMEOUT_MS: number;
};

/** Delivery jobs of a process: API processes add and inspect them, workers also run them. */
export interface DeliveryJobs {
  readonly jobs: Jobs;
  readonly definition: DeliveryJobDefinition;
}

/** Opens the connection over which jobs are added. */
export function openDeliveryJobs(config: DeliveryJobsConfig, logger: Logger): DeliveryJobs {
  const definition = defineDeliveryJob(webhookSettings(config));
  const jobs = new Jobs({
    redis: config.REDIS_URL,
    prefix: config.REDIS_KEY_PREFIX,
    definitions: [definition],
    logger,
    logFor: (fields) => logger.child(fields),
    // The rest of the time is for giving back what does not finish, and for what is closed after this.
    stopGraceMs: config.SHUTDOWN_TIMEOUT_MS / 2,
  });
  return { jobs, definition };
}
