export { Deliveries, maxRequeuedDeliveries } from './deliveries/deliveries.js';
export {
  deliveryAttemptQuerySchema,
  deliveryAttemptSchema,
  deliveryDetailSchema,
  deliveryFilterSchema,
  deliveryPageSchema,
  deliveryQuerySchema,
  deliverySchema,
  requeueResultSchema,
  type DeliveryAttemptQuery,
  type Delivery,
  type DeliveryDetail,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryQuery,
} from './deliveries/delivery-schemas.js';
export type { BodiesForEndpoint, WebhookEventForEndpoint } from './dispatch-emitted-events.js';
export {
  WebhookEmitter,
  type EmittedWebhookEvent,
  type EmittedMessages,
  type WebhookEmitterOptions,
  type WebhookEvent,
} from './webhook-emitter.js';
export {
  disableEndpoints,
  listSubscriptions,
  removeEndpointsOfOwner,
  type EndpointMetadataCondition,
  type Subscription,
} from './endpoints/endpoint-owners.js';
export {
  allEventTypesName,
  endpointChangeSchema,
  endpointPageSchema,
  endpointSchema,
  endpointWithSecretSchema,
  newEndpointSchema,
  listPageQuerySchema,
  endpointSecretRotationSchema,
  type WebhookEndpoint,
  type WebhookEndpointChange,
  type EndpointPage,
  type EndpointWithSecret,
  type NewWebhookEndpoint,
  type ListPageQuery,
  type EndpointSecretRotation,
} from './endpoints/endpoint-schemas.js';
export type {
  WebhookDeliveryCheck,
  WebhookDeliveryToCheck,
  WebhookDeliveryTarget,
} from './endpoints/endpoint-source.js';
export { Endpoints, maxReplacedSecrets } from './endpoints/endpoints.js';
export { endpointSecretPurpose, type SecretEncryption } from './endpoints/sealed-secrets.js';
export type { ReceiverCircuitBreakerSettings } from './engine/circuit-breakers.js';
export type { DeliveryOutcomeCategory } from './engine/run-delivery-job.js';
export { DeliveryEngine, type DeliveryEngineOptions } from './engine/delivery-engine.js';
export {
  defineDeliveryJob,
  DeliveryQueue,
  type DeliveryAttemptJobDefinition,
  type WebhookDeliveryNeedingJob,
  type NewWebhookDeliveryJob,
} from './engine/delivery-queue.js';
export { millisecondsInterval } from './engine/delivery-sql.js';
export { DeliveryStore } from './engine/delivery-store.js';
export type {
  BuiltRequest,
  ClaimedDelivery,
  DeliveryTables,
  EndpointSource,
  ReceiverResponseProblem,
} from './engine/endpoint-source.js';
export type {
  CreatedDeliveries,
  FirstAttempts,
  PlannedFirstDeliveryAttempt,
  PlannedDelivery,
} from './engine/first-delivery-attempts.js';
export {
  defineRequeuedMessage,
  requeueMatchingDeliveries,
  type DeliveryRequeueCondition,
  type RequeueResult,
} from './engine/requeue-deliveries.js';
export { DeliveryRetention, type DeliveryRetentionOptions } from './engine/delivery-retention.js';
export { nextDelayMs, retryAfterMs, type DeliveryRetryPolicy } from './engine/retry-policy.js';
export { webhookDefaults, type WebhookDeliverySettings } from './engine/webhook-settings.js';
export { UndeliverableError } from './engine/undeliverable-error.js';
export { generateWebhookSecret } from './signing/signing-key.js';
export {
  signWebhook,
  standardWebhooksSchemes,
  type WebhookDeliveryToSign,
  type SignatureHeaderScheme,
  type WebhookSigningScheme,
} from './signing/signing-scheme.js';
export {
  applyWebhookMigrations,
  webhookMigrationSql,
  webhookMigrationStatus,
  type WebhookMigrationOptions,
  type WebhookSchemaOptions,
} from './migrations.js';
export { webhookErrors } from './webhook-errors.js';
export {
  Webhooks,
  type PendingDeliveryFigures,
  type WebhookDeliveryCounters,
  type WebhooksOptions,
} from './webhooks.js';
export { webhookRoutes, type WebhookRequest, type WebhookRoute, type WebhookRoutesOptions } from './routes.js';
