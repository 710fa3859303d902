export { eventWebhooksFeatureModule } from './event-webhooks.slice.js';
export { EventWebhooks } from './open-event-webhooks.js';
