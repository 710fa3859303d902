export { InvalidConditionsError, parseConditions, type Json } from './conditions/index.js';
export { defineDeliveryJob } from './delivery-queue.js';
export { openWebhooks, type RunningWebhooks, type WebhookParts } from './open-webhooks.js';
export { webhookEnv, webhookSettings, type WebhookSettings } from './settings.js';
export { Webhooks, type WebhooksOptions } from './webhooks.js';
export type { OpenSecret } from './destinations/index.js';
