export type { ModuleAsyncOptions } from './module-async-options.js';

export { AuthModule, type AuthModuleOptions } from './auth/auth.module.js';
export {
  getRequestActor,
  createAuthGuard,
  CurrentActor,
  GuardMissingError,
  Public,
  type AuthenticatedRequest,
  type AuthGuardOptions,
} from './auth/auth-guard.js';

export { ErrorFilter } from './errors/error-filter.js';
export { ErrorsModule, type ErrorsModuleOptions, type IdentifiedRequest } from './errors/errors.module.js';

export { InjectOutbound, OutboundModule, outboundToken, type OutboundName } from './outbound/outbound.module.js';

export { OnJob, OnOutboxMessage } from './queue/handler-decorators.js';
export { InjectEventLog, InjectJobs, InjectOutbox } from './queue/inject-queue-services.js';
export { QueueHealth, type QueueHealthResult } from './queue/queue-health.js';
export {
  QueueMetrics,
  type QueueMetricSources,
  type QueueMetricValue,
  type MetricsRegistry,
  type QueueMetric,
} from './queue/queue-metrics.js';
export { QueueModule, type QueueModuleAsyncOptions } from './queue/queue.module.js';
export type { QueueModuleOptions, ShutdownPhases } from './queue/queue-options.js';
