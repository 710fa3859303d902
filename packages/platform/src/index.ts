export { systemClock, type Clock, type Timer } from './clock.js';
export { describeEnv, type EnvironmentVariable } from './configuration/describe-env.js';
export { envAssignments, envBoolean, envInteger, envList, envPairs } from './configuration/env-fields.js';
export { ConfigError, type ConfigProblem } from './configuration/config-error.js';
export { parseEnv, parseEnvironment, type ParsedEnvironment } from './configuration/parse-env.js';
export { readConfigOrExit } from './configuration/read-config-or-exit.js';
export { platformEnv, type PlatformConfig } from './configuration/platform-env.js';
export { requireCurrentPepper, type PepperVariables } from './configuration/require-current-pepper.js';
export { serviceEnv, type ServiceTraits } from './configuration/service-env.js';
export { ApiDocumentation, type ApiDocumentationOptions, type DocumentationAsset } from './http/api-documentation.js';
export { redirectBrowsersToFrontPage } from './http/browser-redirect.js';
export { createService } from './http/create-service.js';
export type { DirectResponse } from './http/direct-responses.js';
export { Html, html } from './http/html.js';
export { isHealthCheckRequest } from './http/probes.js';
export { PortTakenError, runService, type RunningService, type RunOptions } from './http/run-service.js';
export type { RequestDisconnect } from './http/request-disconnect.js';
export { currentRequestWork, declareHeavyWork } from './http/current-work.js';
export { DatabaseWork, RequestWork, type RequestWorkClass } from './http/request-work.js';
export type { ServiceOptions } from './http/service-options.js';
export { adminCommandLine, describeConnectionError } from './lifecycle/admin-command.js';
export { Health, type CheckResult, type HealthReport } from './lifecycle/health.js';
export {
  Shutdown,
  shutdownPhases,
  type ShutdownFunction,
  type ShutdownOptions,
  type ShutdownPhase,
} from './lifecycle/shutdown.js';
export {
  MissingDatabaseError,
  PendingMigrationsError,
  type MigrationSetState,
  type SchemaState,
} from './lifecycle/schema-state.js';
export {
  ServiceSchema,
  type MigrateCommandOptions,
  type MigratedService,
  type MigrateOptions,
  type SchemaConfig,
} from './lifecycle/service-schema.js';
export { waitForServers, type ServersOptions } from './lifecycle/wait-for-servers.js';
export {
  UnreachableError,
  waitUntilReachable,
  type NeededServer,
  type WaitOptions,
} from './lifecycle/wait-until-reachable.js';
export { createLogger, type Logger, type LoggerOptions } from './logging/logger.js';
export { redact } from './logging/redact.js';
export {
  currentDisconnect,
  currentRequestId,
  currentTrace,
  requestContext,
  type RequestContext,
} from './logging/request-context.js';
export { startMetricsServer, type MetricsServer, type MetricsServerOptions } from './metrics/metrics-server.js';
export { Metrics, type GaugeValue, type WatchedPool } from './metrics/metrics.js';
export { superviseProcesses, type SupervisionOptions } from './supervisor/supervise-processes.js';
export { startTracing, type TracingOptions } from './tracing/start-tracing.js';
export { release } from './release.js';
export { createOpenApiDocument, type OpenApiDocument, type OpenApiOptions } from './openapi/create-document.js';
export {
  collectEndpoints,
  DescribeEndpoint,
  describedScope,
  type DecoratedEndpoint,
} from './openapi/describe-endpoint.js';
export {
  endpointMethods,
  type EndpointDescription,
  type EndpointMethod,
  type ResponseDescription,
} from './openapi/endpoint-description.js';
