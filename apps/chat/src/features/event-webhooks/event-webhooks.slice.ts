import { defineFeatureModule } from '../../events/define-feature-slice.js';
import { EventWebhooksController } from './event-webhooks.controller.js';
import {
  type EventWebhookJobDependencies,
  createEventWebhookJobs,
  createEventWebhookWorker,
} from './event-webhooks.jobs.js';
import { EventWebhooks } from './open-event-webhooks.js';
import { ManageEventWebhooks } from './manage-event-webhooks.action.js';
import { eventWebhookEnvironmentVariables } from './settings.js';
import { WebhookDeliveriesController } from './webhook-deliveries.controller.js';
import { WebhookDeliveriesService } from './webhook-deliveries.action.js';

/** Feature module (slice) of event webhooks: endpoints, jobs and environment variables. */
export const eventWebhooksFeatureModule = defineFeatureModule('event-webhooks', {
  controllers: [EventWebhooksController, WebhookDeliveriesController],
  providers: ({ eventWebhooks }: EventWebhookJobDependencies) => [
    { provide: EventWebhooks, useValue: eventWebhooks },
    ManageEventWebhooks,
    WebhookDeliveriesService,
  ],
  jobs: createEventWebhookJobs,
  worker: createEventWebhookWorker,
  configuration: eventWebhookEnvironmentVariables,
});
