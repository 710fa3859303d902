export { listUnindexedForeignKeys } from './foreign-keys.js';
export { reportUnregisteredTest, testServices, type TestServices } from './test-configuration.js';
export { Contract, type HttpExchange } from './contract/openapi-contract.js';
export { OpenApiOperations, type FoundOperation, type OpenApiOperation } from './contract/openapi-operations.js';
export { ContractError } from './contract/contract-error.js';
export { FakeClock } from './fake-clock.js';
export { InjectClient, type InjectClientOptions, type InjectedResponse, type RequestOptions } from './inject-client.js';
export { listenOnFreePort, type ListeningService } from './listen-on-free-port.js';
export { recordConnectionAttempts, type ConnectionAttempts } from './network/connection-attempts.js';
export { startDnsServer, type DnsRecord, type TestDnsServer } from './network/dns-server.js';
export { reservePort } from './network/reserved-port.js';
export { refusedNames, refusedUrls, type RefusedUrl } from './network/refused-urls.js';
export { testS3Credentials, startS3Server, type S3Server, type S3ServerOptions } from './network/s3-server.js';
export { TestCertificateAuthority, type IssuedCertificate } from './network/test-authority.js';
export { collectSpans, type CollectedSpans } from './network/collect-spans.js';
export { TraceCollector, type CollectedSpan, type ExportRequest } from './network/trace-collector.js';
export { startTestProxy, type RequestedTunnel, type TestProxy } from './network/test-proxy.js';
export { hashFoldersContent } from './services/hash-folder.js';
export {
  isRedisBuiltWithTls,
  RedisServers,
  startRedisCluster,
  startRedisSentinels,
  type TestServer,
} from './services/redis-servers.js';
export {
  dropTestDatabases,
  testDatabase,
  type TestDatabase,
  type TestDatabaseOptions,
} from './services/test-database.js';
export { testRedis, type TestRedis } from './services/test-redis.js';
export { waitFor, type WaitOptions } from './wait-for.js';
