import type { Jobs } from '@switchboard/queue';
import type { SliceJobs } from '../../events/define-feature-slice.js';
import type { AnyEventType } from '../../events/define-event-type.js';
import type { EventWebhooks } from './open-event-webhooks.js';

/** Process objects that the feature module of event webhooks needs. */
export interface EventWebhookRuntime {
  readonly eventWebhooks: EventWebhooks;
  readonly eventTypes: ReadonlyMap<string, AnyEventType>;
}

/** Returns the job that delivers events to webhooks, with the handler of the job. */
export function eventWebhookJobs({ eventWebhooks, eventTypes }: EventWebhookRuntime): SliceJobs {
  return {
    definitions: [eventWebhooks.definition],
    attach: (jobs: Jobs) => eventWebhooks.open(jobs, eventTypes),
  };
}

/** Returns the worker that looks for lost webhook deliveries and deletes old deliveries. */
export function eventWebhookWorker({ eventWebhooks }: EventWebhookRuntime) {
  return {
    start: () => eventWebhooks.webhooks.start(),
    stop: () => eventWebhooks.stop(),
  };
}
