export { eventWebhookMetadataSchema, type EventWebhookMetadata } from './event-webhook-metadata.js';
export {
  EventWebhookEmitter,
  eventStoredForWebhooksSchema,
  type EventStoredForWebhooks,
} from './event-webhook-sink.js';
export {
  EventWebhookSubscriberCache,
  type EventWebhookSubscriberCacheDependencies,
} from './event-webhook-subscriptions.js';
export {
  disableEventWebhooksOfAccounts,
  userOwnsEventWebhookSql,
  removeEventWebhooks,
} from './event-webhook-owners.js';
