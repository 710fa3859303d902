export type { QueueConnection, QueuePool, QueueTx } from './database.js';
export { processClock, silentLogger } from './environment.js';
export type { QueueClock, QueueLogger, TraceContext } from './environment.js';
export { PeriodicTask, type PeriodicTaskOptions } from './periodic-task.js';
export { faultPoints, crashAt } from './fault-points.js';
export type { FaultPoint, FaultPointSetting, OnFaultPoint } from './fault-points.js';
export { RedisUnavailableError } from './bull-queues.js';
export { applyQueueMigrations, queueMigrationScript, queueMigrationSql, queueMigrationStatus } from './migrations.js';
export type { QueueMigrationOptions, QueueSchemaOptions } from './migrations.js';
export { schemaIdentifier, type SchemaOwner } from './queue-schema.js';
export { QueueMigrationError } from './migration-error.js';
export type { Release } from './release.js';
export {
  SchemaMigrations,
  type MigrateOptions,
  type MigrationSet,
  type QueueMigrationStatus,
} from './schema-migrations.js';
export { setQueuePrefix, type QueuePrefixOptions } from './deployment.js';
export { checkRedis, type RedisCheck } from './check-redis.js';
export { connectRedis, waitUntilReady } from './redis.js';
export type { ConnectionPurpose, RedisClient } from './redis.js';
export type { ClusterTarget, RedisTarget, ServerOptions } from './redis-target.js';
export { parseRedisUrl, redisUrlSchema } from './redis-url.js';

export { transactionHandle } from './transaction-handle.js';
export type { TransactionHandle } from './transaction-handle.js';
export { QueueUsageError } from './usage-error.js';
export type { AdapterOptions } from './adapters/guarded-transaction.js';
export { fromDrizzle, type DrizzleTransaction } from './adapters/from-drizzle.js';
export { fromKnex, type KnexTransaction } from './adapters/from-knex.js';
export { fromKysely, type KyselyTransaction } from './adapters/from-kysely.js';
export { fromPg, type PgClient } from './adapters/from-pg.js';
export { fromPrisma, type PrismaTransactionClient } from './adapters/from-prisma.js';
export { fromTypeOrm, type TypeOrmEntityManager, type TypeOrmQueryRunner } from './adapters/from-typeorm.js';

export type { ClientTransaction } from './outbox/client-transaction.js';
export { defineOutboxMessage, OutboxMessageVersionError } from './outbox/message-type.js';
export type { OutboxMessageType, OutboxMessageOptions } from './outbox/message-type.js';
export { Outbox } from './outbox/outbox.js';
export { outboxDefaults } from './outbox/outbox-options.js';
export type { OutboxAddOptions, OutboxOptions, QueueRole } from './outbox/outbox-options.js';
export type { DrainSettings, SelectKeysToDispatch } from './outbox/batch-drain.js';
export type { DispatchResult, DispatchRow, Dispatcher } from './outbox/dispatcher.js';
export { firstParameter } from './outbox/inline-dispatch.js';
export type { DispatchSettings, InlineDispatcher, InlineRow, InlineWork } from './outbox/inline-dispatch.js';
export type { OutboxDepth } from './outbox/waiting-rows.js';
export type { DeadLetterFilter, DeadLetter } from './outbox/dead-letters.js';
export { withOutbox } from './outbox/with-outbox.js';

export { Inbox, inboxDefaults } from './inbox/inbox.js';
export type { InboxOptions, OnceResult } from './inbox/inbox.js';

export {
  defineJob,
  backoffDelayMs,
  FinalJobError,
  JobCancelledError,
  JobTimeoutError,
  WorkerStoppingError,
} from './jobs/define-job.js';
export type { Backoff, JobDefinition, JobOptions, RateLimit } from './jobs/define-job.js';
export type { Repeat } from './jobs/repeat-schedule.js';
export type { FailedJob, FailedJobFilter } from './jobs/failed-jobs.js';
export { flowJob } from './jobs/job-flows.js';
export type { ChildOutcome } from './jobs/child-outcomes.js';
export type { FlowJob, FlowJobOptions } from './jobs/job-flows.js';
export type { FoundJob, JobState } from './jobs/found-job.js';
export type { FailureHook, JobFailure } from './jobs/failure-hooks.js';
export type { ActiveJob } from './jobs/active-jobs.js';
export type { WorkerProcess } from './jobs/worker-registry.js';
export type { JobContext } from './jobs/attempt.js';
export type { JobHandler } from './jobs/job-runner.js';
export { Jobs } from './jobs/jobs.js';
export type { AddJobOptions, InlineRunner, JobMetrics, JobsSettings } from './jobs/jobs-settings.js';

export { EventLog } from './event-log/event-log.js';
export { beginEpochsSql } from './event-log/numbering.js';
export type { NewEntry } from './event-log/new-entry.js';
export { eventLogDefaults } from './event-log/event-log-options.js';
export type { EventLogMetrics, EventLogOptions, EventLogSettings } from './event-log/event-log-options.js';
export {
  BadEventQueueError,
  EntryTooLongError,
  EventAheadError,
  EventLogUnavailableError,
  EventPrunedError,
  TooManyRegistrationsError,
} from './event-log/errors.js';
export { audienceIncludes, UserSet } from './event-log/audience.js';
export type { Audience, PackedAudience, UserId } from './event-log/audience.js';
export type { LogEntry } from './event-log/log-entry.js';
export type { Closable, PollCallbacks, PollRequest, StreamCallbacks, StreamRequest } from './event-log/poll-request.js';
export type { ClientEvent, QueueRecord, Renderer } from './event-log/queue-view.js';
export type { LastKnownQueue, RegisteredQueue, RegisterOptions, SnapshotReader } from './event-log/registration.js';
