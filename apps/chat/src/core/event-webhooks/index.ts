export { eventWebhookMetadata, type EventWebhookMetadata } from './event-webhook-metadata.js';
export { EventWebhookSink, storedEvent, type StoredEvent } from './event-webhook-sink.js';
export {
  EventWebhookSubscriptions,
  type EventWebhookSubscriptionsDependencies,
} from './event-webhook-subscriptions.js';
export { disableEventWebhooksOf, ownsEventWebhookSql, removeEventWebhooks } from './event-webhook-owners.js';
