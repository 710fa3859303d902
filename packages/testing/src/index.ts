export { type AuditLine, selectAuditLines } from './select-audit-lines.js';
export { listUnindexedForeignKeys } from './list-unindexed-foreign-keys.js';
export {
  createLongRunIt,
  getTestServerAddresses,
  isLongTestRun,
  reportOmittedCases,
  reportUnregisteredTest,
  selectCases,
  type TestServerAddresses,
} from './test-configuration.js';
export { OpenApiContract, type HttpExchange } from './contract/openapi-contract.js';
export {
  OpenApiOperations,
  type LocatedOpenApiOperation,
  type OpenApiOperation,
} from './contract/openapi-operations.js';
export { OpenApiContractError } from './contract/contract-error.js';
export { FakeClock } from './fake-clock.js';
export {
  InProcessApiClient,
  type InProcessApiClientOptions,
  type TestApiResponse,
  type TestRequestOptions,
} from './in-process-api-client.js';
export { listenOnFreePort, type ListeningTestService } from './listen-on-free-port.js';
export { recordConnectionAttempts, type TcpConnectionAttemptRecord } from './network/connection-attempts.js';
export { startDnsServer, type TestDnsRecord, type TestDnsServer } from './network/dns-server.js';
export { reserveLocalPort } from './network/reserve-local-port.js';
export { refusedHostNames, refusedUrls, type RefusedUrl } from './network/refused-urls.js';
export { testS3Credentials, startS3Server, type TestS3Server, type TestS3ServerOptions } from './network/s3-server.js';
export { TestCertificateAuthority, type IssuedTlsCertificate } from './network/test-certificate-authority.js';
export { collectTracingSpans, type ProcessSpanCollection } from './network/collect-tracing-spans.js';
export { TraceCollector, type CollectedTracingSpan, type TracingSpanExportRequest } from './network/trace-collector.js';
export { startTestProxy, type RequestedProxyTunnel, type TestProxy } from './network/test-proxy.js';
export { hashFoldersContent } from './services/hash-folders-content.js';
export {
  isRedisBuiltWithTls,
  type RedisClusterOptions,
  RedisServers,
  startRedisCluster,
  startRedisSentinels,
  type TestRedisServer,
} from './services/redis-servers.js';
export {
  dropTestDatabases,
  openTestDatabase,
  type TestDatabase,
  type TestDatabaseOptions,
} from './services/test-database.js';
export { openTestRedis, type TestRedisAccess } from './services/test-redis.js';
export { waitFor, type WaitForConditionOptions } from './wait-for.js';
