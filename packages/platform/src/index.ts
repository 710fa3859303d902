export { systemClock, type Clock, type ClockTimer } from './clock.js';
export {
  describeEnvironmentVariables,
  type EnvironmentVariable,
} from './configuration/describe-environment-variables.js';
export {
  nameValuePairsVariableSchema,
  booleanVariableSchema,
  integerVariableSchema,
  listVariableSchema,
  idValuePairsVariableSchema,
} from './configuration/environment-variable-schemas.js';
export { ConfigError, type ConfigProblem } from './configuration/config-error.js';
export { parseEnvironmentValues, parseEnvironment, type ParsedEnvironment } from './configuration/parse-environment.js';
export { readConfigOrExit } from './configuration/read-config-or-exit.js';
export { platformEnvironmentSchema, type PlatformConfig } from './configuration/platform-environment.js';
export { requireCurrentPepper, type PepperVariables } from './configuration/require-current-pepper.js';
export { createS3EnvironmentVariables, type S3EnvironmentDescription } from './configuration/s3-environment.js';
export { createServiceEnvironmentSchema, type ServiceEnvironmentOptions } from './configuration/service-environment.js';
export { ApiDocumentation, type ApiDocumentationOptions, type DocumentationAsset } from './http/api-documentation.js';
export { redirectBrowsersToFrontPage } from './http/browser-redirect.js';
export { createService } from './http/create-service.js';
export type { DirectResponse } from './http/direct-responses.js';
export { SafeHtml, renderHtml } from './http/html-template-tag.js';
export { isHealthCheckRequest } from './http/health-check-routes.js';
export { PortTakenError, runService, type RunningService, type RunServiceOptions } from './http/run-service.js';
export type { RequestDisconnect } from './http/request-disconnect.js';
export { getRequestDatabaseWork, declareHeavyDatabaseWork } from './http/request-database-work-context.js';
export {
  DatabaseWorkOfHandler,
  RequestDatabaseWork,
  type RequestDatabaseWorkClass,
} from './http/request-database-work.js';
export type { ServiceOptions } from './http/service-options.js';
export {
  createDatabaseChecks,
  type DatabaseCheckOptions,
  type InspectedDatabase,
} from './installation/database-checks.js';
export {
  type CheckedBucket,
  type CheckedFileStore,
  createBucketCheck,
  createFileStoreCheck,
  createFolderCheck,
  type FolderCheckOptions,
} from './installation/file-checks.js';
export { createRedisChecks, type InspectedRedis } from './installation/redis-checks.js';
export {
  checkCommandUsage,
  type InstallationCheckFinding,
  type InstallationCheckLevel,
  type InstallationCheck,
  runCheckCommand,
  runInstallationChecks,
  type RunInstallationChecksOptions,
} from './installation/run-installation-checks.js';
export { createKeyCheck, createMigrationCheck } from './installation/service-checks.js';
export { getAdminCommandLine, describeConnectionError } from './lifecycle/admin-command-line.js';
export { ProcessHealth, type HealthCheckResult, type HealthReport } from './lifecycle/process-health.js';
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
  type ServiceMigrationState,
} from './lifecycle/service-migration-state.js';
export {
  ServiceSchema,
  type MigrateCommandOptions,
  type ServiceWithMigrations,
  type ServiceMigrateOptions,
  type ServiceSchemaConfig,
} from './lifecycle/service-schema.js';
export { waitForServers, type WaitForServersOptions } from './lifecycle/wait-for-servers.js';
export {
  ServerUnreachableError,
  waitUntilReachable,
  type RequiredServer,
  type WaitUntilReachableOptions,
} from './lifecycle/wait-until-reachable.js';
export { type AdminAuditOptions, type AdminCommandObject, runAuditedAdminCommand } from './logging/admin-audit.js';
export { type AuditActionDescription, type AuditActions, type AuditLine, AuditTrail } from './logging/audit-trail.js';
export { auditActionTable } from './logging/audit-action-table.js';
export type { AuditActor } from './logging/request-origin.js';
export { setRequestActor } from './logging/set-request-actor.js';
export { createLogger, type Logger, type LoggerOptions } from './logging/logger.js';
export { redactLogFields } from './logging/redact-log-fields.js';
export {
  getCurrentDisconnect,
  getCurrentRequestId,
  getCurrentTrace,
  requestContextStorage,
  type RequestContext,
} from './logging/request-context.js';
export { startMetricsServer, type MetricsServer, type MetricsServerOptions } from './metrics/metrics-server.js';
export { Metrics, type GaugeValue, type MeasuredConnectionPool } from './metrics/metrics.js';
export { superviseProcesses, type ProcessSupervisionOptions } from './supervisor/supervise-processes.js';
export { startTracing, type TracingOptions } from './tracing/start-tracing.js';
export { releaseVersions } from './release-versions.js';
export { createOpenApiDocument, type OpenApiDocument, type OpenApiOptions } from './openapi/create-document.js';
export {
  collectEndpoints,
  DescribeEndpoint,
  getDescribedScope,
  type DecoratedEndpoint,
} from './openapi/describe-endpoint.js';
export {
  endpointMethods,
  type EndpointDescription,
  type EndpointMethod,
  type ResponseDescription,
} from './openapi/endpoint-description.js';
