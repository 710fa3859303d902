export { type JsonValue } from './conditions/index.js';
export { openWebhookDeliveryJobs, type WebhookDeliveryJobs } from './delivery-jobs.js';
export { WebhookDeliveryTasks, type DeliveryTask, type BackgroundTaskCounts } from './delivery-tasks.js';
export { backgroundTaskStatuses, type BackgroundTaskStatus } from './delivery-task-store.js';
export { createDeliveryRetention } from './delivery-retention.js';
export { requeueDeliveries } from './delivery-tables.js';
export { openWebhookDelivery, type WebhookDeliveryService } from './open-webhooks.js';
export { webhookEnvironmentVariables, createWebhookSettings, type WebhookSettings } from './webhook-settings.js';
export { WebhookDispatcher } from './webhook-dispatcher.js';
