export { type JsonValue } from './conditions/index.js';
export { openDeliveryJobs, type DeliveryJobs } from './delivery-jobs.js';
export { DeliveryTasks, type DeliveryTask, type TaskCounts } from './delivery-tasks.js';
export { taskStatuses, type TaskStatus } from './delivery-task-store.js';
export { createDeliveryRetention } from './delivery-retention.js';
export { requeueDeliveries } from './delivery-tables.js';
export { openWebhooks, type WebhookDeliveryService } from './open-webhooks.js';
export { webhookEnv, webhookSettings, type WebhookSettings } from './webhook-settings.js';
export { WebhookDispatcher } from './webhook-dispatcher.js';
