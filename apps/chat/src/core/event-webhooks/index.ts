export { eventWebhookMetadata, type EventWebhookMetadata } from './event-webhook-metadata.js';
export { EventWebhookSink, storedEventSchema, type StoredEvent } from './event-webhook-sink.js';
export {
  EventWebhookSubscriptions,
  type EventWebhookSubscriptionsDependencies,
} from './event-webhook-subscriptions.js';
export {
  disableEventWebhooksOfAccounts,
  userOwnsEventWebhookSql,
  removeEventWebhooks,
} from './event-webhook-owners.js';
