import { defineSlice } from '../../events/define-feature-slice.js';
import { EventWebhooksController } from './event-webhooks.controller.js';
import { type EventWebhookRuntime, eventWebhookJobs, eventWebhookWorker } from './event-webhooks.jobs.js';
import { EventWebhooks } from './open-event-webhooks.js';
import { ManageEventWebhooks } from './manage-event-webhooks.action.js';
import { eventWebhookEnv } from './settings.js';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';
import { WebhookDeliveries } from './webhook-deliveries.action.js';

/** Feature module (slice) of event webhooks: endpoints, jobs and environment variables. */
export const eventWebhooksSlice = defineSlice('event-webhooks', {
  controllers: [EventWebhooksController, WebhookDeliveriesController],
  providers: ({ eventWebhooks }: EventWebhookRuntime) => [
    { provide: EventWebhooks, useValue: eventWebhooks },
    ManageEventWebhooks,
    WebhookDeliveries,
  ],
  jobs: eventWebhookJobs,
  worker: eventWebhookWorker,
  configuration: eventWebhookEnv,
});
