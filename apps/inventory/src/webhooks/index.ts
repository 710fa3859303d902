export { InvalidConditionsError, parseConditions, type Json } from './conditions/index.js';
export { openDeliveryJobs, type DeliveryJobs } from './delivery-jobs.js';
export { DeliveryTasks, type DeliveryTask, type TaskCounts } from './delivery-tasks.js';
export { taskStatuses, type TaskStatus } from './task-store.js';
export { defineDeliveryJob } from './delivery-queue.js';
export { openWebhooks, type RunningWebhooks, type WebhookParts } from './open-webhooks.js';
export { webhookEnv, webhookSettings, type WebhookSettings } from './settings.js';
export { Webhooks, type WebhooksOptions } from './webhooks.js';
export type { OpenSecret } from './destinations/index.js';
