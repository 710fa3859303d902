import type { Jobs } from '@switchboard/queue';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import type { EventTypeOfUnknownPayload } from '../../events/define-event-type.js';
import type { EventWebhooks } from './open-event-webhooks.js';

/** Process objects that the feature module of event webhooks needs. */
export interface EventWebhookJobDependencies {
  readonly eventWebhooks: EventWebhooks;
  readonly eventTypes: ReadonlyMap<string, EventTypeOfUnknownPayload>;
}

/** Returns the job that delivers events to webhooks, with the handler of the job. */
export function createEventWebhookJobs({ eventWebhooks, eventTypes }: EventWebhookJobDependencies): FeatureModuleJobs {
  return {
    definitions: [eventWebhooks.definition],
    attach: (jobs: Jobs) => eventWebhooks.registerEventDelivery(jobs, eventTypes),
  };
}

/** Returns the worker that adds jobs for webhook deliveries without a job, and deletes old deliveries. */
export function createEventWebhookWorker({ eventWebhooks }: EventWebhookJobDependencies) {
  return {
    start: () => eventWebhooks.webhooksWithDeliveries.start(),
    stop: () => eventWebhooks.stop(),
  };
}
