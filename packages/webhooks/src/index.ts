export { Deliveries, maxRequeuedDeliveries } from './deliveries/deliveries.js';
export {
  attemptQuerySchema,
  attemptSchema,
  deliveryDetailSchema,
  deliveryFilterSchema,
  deliveryPageSchema,
  deliveryQuerySchema,
  deliverySchema,
  requeueResultSchema,
  type AttemptQuery,
  type Delivery,
  type DeliveryDetail,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryQuery,
} from './deliveries/delivery-schemas.js';
export type { BodiesForEndpoint, EventForEndpoint } from './dispatch-emitted-events.js';
export {
  WebhookEmitter,
  type EmittedEvent,
  type EmittedMessages,
  type WebhookEmitterOptions,
  type WebhookEvent,
} from './webhook-emitter.js';
export {
  disableEndpoints,
  listSubscriptions,
  removeEndpointsOfOwner,
  type MetadataCondition,
  type Subscription,
} from './endpoints/endpoint-owners.js';
export {
  allEventTypes,
  endpointChangeSchema,
  endpointPageSchema,
  endpointSchema,
  endpointWithSecretSchema,
  newEndpointSchema,
  pageQuerySchema,
  secretRotationSchema,
  type Endpoint,
  type EndpointChange,
  type EndpointPage,
  type EndpointWithSecret,
  type NewEndpoint,
  type PageQuery,
  type SecretRotation,
} from './endpoints/endpoint-schemas.js';
export type { CheckDelivery, DeliveryToCheck, EndpointTarget } from './endpoints/endpoint-source.js';
export { Endpoints, maxReplacedSecrets } from './endpoints/endpoints.js';
export { endpointSecretPurpose, type SecretSealer } from './endpoints/sealed-secrets.js';
export type { BreakerSettings } from './engine/circuit-breakers.js';
export type { DeliveryOutcome } from './engine/run-delivery-job.js';
export { DeliveryEngine, type DeliveryEngineOptions } from './engine/delivery-engine.js';
export {
  defineDeliveryJob,
  DeliveryQueue,
  type DeliveryJobDefinition,
  type DueDelivery,
  type NewDeliveryJob,
} from './engine/delivery-queue.js';
export { millisecondsInterval } from './engine/delivery-sql.js';
export { DeliveryStore } from './engine/delivery-store.js';
export type {
  BuiltRequest,
  ClaimedDelivery,
  DeliveryTables,
  EndpointSource,
  ResponseProblem,
} from './engine/endpoint-source.js';
export type {
  CreatedDeliveries,
  FirstAttempts,
  PlannedAttempt,
  PlannedDelivery,
} from './engine/first-delivery-attempts.js';
export {
  defineRequeuedMessage,
  requeueMatchingDeliveries,
  type DeliveryRequeueCondition,
  type RequeueResult,
} from './engine/requeue-deliveries.js';
export { DeliveryRetention, type DeliveryRetentionOptions } from './engine/delivery-retention.js';
export { nextDelayMs, retryAfterMs, type RetryPolicy } from './engine/retry-policy.js';
export { webhookDefaults, type WebhookSettings } from './engine/webhook-settings.js';
export { UndeliverableError } from './engine/undeliverable-error.js';
export { generateWebhookSecret } from './signing/signing-key.js';
export {
  signWebhook,
  standardWebhooksSchemes,
  type DeliveryToSign,
  type SignatureHeader,
  type SigningScheme,
} from './signing/signing-scheme.js';
export {
  applyWebhookMigrations,
  webhookMigrationSql,
  webhookMigrationStatus,
  type WebhookMigrationOptions,
  type WebhookSchemaOptions,
} from './migrations.js';
export { webhookErrors } from './webhook-errors.js';
export { Webhooks, type PendingDeliveryFigures, type WebhookMetrics, type WebhooksOptions } from './webhooks.js';
export { webhookRoutes, type WebhookRequest, type WebhookRoute, type WebhookRoutesOptions } from './routes.js';
