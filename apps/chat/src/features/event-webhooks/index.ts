export { eventWebhooksSlice } from './event-webhooks.slice.js';
export { EventWebhooks } from './event-webhooks.js';
