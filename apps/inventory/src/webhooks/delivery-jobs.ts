import type { Logger } from '@switchboard/platform';
import { Jobs } from '@switchboard/queue';
import { defineDeliveryJob, type DeliveryAttemptJobDefinition } from '@switchboard/webhooks';
import { type WebhookEnvironment, createWebhookSettings } from './webhook-settings.js';

/** Part of the service's configuration on which delivery jobs depend. */
export type WebhookDeliveryJobsConfig = WebhookEnvironment & {
  readonly REDIS_URL: string;
  readonly REDIS_KEY_PREFIX: string;
  readonly SHUTDOWN_TIMEOUT_MS: number;
};

/**
 * Queue and definition of webhook delivery jobs in one process. API processes add and inspect jobs; worker processes
 * also run jobs.
 */
export interface WebhookDeliveryJobs {
  readonly jobs: Jobs;
  readonly definition: DeliveryAttemptJobDefinition;
}

/** Connects the process to the queue of webhook delivery jobs. */
export function openWebhookDeliveryJobs(config: WebhookDeliveryJobsConfig, logger: Logger): WebhookDeliveryJobs {
  const definition = defineDeliveryJob(createWebhookSettings(config));
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
