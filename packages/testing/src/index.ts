export { type AuditLine, auditLines } from './audit-lines.js';
export { listUnindexedForeignKeys } from './list-unindexed-foreign-keys.js';
export {
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
export { ContractError } from './contract/contract-error.js';
export { FakeClock } from './fake-clock.js';
export { InjectClient, type InjectClientOptions, type InjectedResponse, type RequestOptions } from './inject-client.js';
export { listenOnFreePort, type ListeningService } from './listen-on-free-port.js';
export { recordConnectionAttempts, type ConnectionAttempts } from './network/connection-attempts.js';
export { startDnsServer, type DnsRecord, type TestDnsServer } from './network/dns-server.js';
export { reservePort } from './network/reserved-port.js';
export { refusedHostNames, refusedUrls, type RefusedUrl } from './network/refused-urls.js';
export { testS3Credentials, startS3Server, type S3Server, type S3ServerOptions } from './network/s3-server.js';
export { TestCertificateAuthority, type IssuedCertificate } from './network/test-certificate-authority.js';
export { collectSpans, type CollectedSpans } from './network/collect-spans.js';
export { TraceCollector, type CollectedSpan, type SpanExportRequest } from './network/trace-collector.js';
export { startTestProxy, type RequestedTunnel, type TestProxy } from './network/test-proxy.js';
export { hashFoldersContent } from './services/hash-folders-content.js';
export {
  isRedisBuiltWithTls,
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
export { openTestRedis, type TestRedis } from './services/test-redis.js';
export { waitFor, type WaitOptions } from './wait-for.js';
