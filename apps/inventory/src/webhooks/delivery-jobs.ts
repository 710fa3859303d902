import type { Logger } from '@switchboard/platform';
import { Jobs } from '@switchboard/queue';
import { defineDeliveryJob, type DeliveryJobDefinition } from '@switchboard/webhooks';
import { type WebhookEnv, webhookSettings } from './webhook-settings.js';

/** Configuration that delivery jobs need. */
export type DeliveryJobsConfig = WebhookEnv & {
  readonly REDIS_URL: string;
  readonly REDIS_KEY_PREFIX: string;
  readonly SHUTDOWN_TIMEOUT_MS: number;
};

/** Jobs of webhook deliveries in one process. API processes add and inspect jobs; workers also run them. */
export interface DeliveryJobs {
  readonly jobs: Jobs;
  readonly definition: DeliveryJobDefinition;
}

/** Connects to the queue of webhook delivery jobs. */
export function openDeliveryJobs(config: DeliveryJobsConfig, logger: Logger): DeliveryJobs {
  const definition = defineDeliveryJob(webhookSettings(config));
  const jobs = new Jobs({
    redis: config.REDIS_URL,
    prefix: config.REDIS_KEY_PREFIX,
    definitions: [definition],
    logger,
    logFor: (fields) => logger.child(fields),
    // The other half is for returning unfinished jobs and closing connections.
    stopGraceMs: config.SHUTDOWN_TIMEOUT_MS / 2,
  });
  return { jobs, definition };
}
