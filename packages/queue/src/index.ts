export type { QueueConnection, QueuePool, QueueTx } from './database.js';
export { processClock, silentLogger } from './environment.js';
export type { QueueClock, QueueLogger, TraceContext } from './environment.js';
export { PeriodicTask, type PeriodicTaskOptions } from './periodic-task.js';
export { faultPoints, createCrashListener } from './fault-points.js';
export type { FaultPoint, ProcessKillFaultPoint, FaultPointListener } from './fault-points.js';
export { RedisUnavailableError } from './bullmq-queues.js';
export {
  applyQueueMigrations,
  createQueueMigrationScript,
  listQueueMigrationSql,
  readQueueMigrationStatus,
} from './migrations.js';
export type { QueueMigrationOptions, QueueSchemaOptions } from './migrations.js';
export { toSchemaIdentifier, type PackageSchema } from './queue-schema.js';
export { QueueMigrationError } from './queue-migration-error.js';
export type { Release } from './release.js';
export {
  SchemaMigrations,
  type SchemaMigrationOptions,
  type PackageMigrationFiles,
  type QueueMigrationStatus,
} from './schema-migrations.js';
export { setQueuePrefix, type QueuePrefixOptions } from './deployment-check.js';
export {
  checkRedis,
  inspectRedis,
  type RedisCheckResult,
  type RedisInspection,
  type RedisInspectionOptions,
} from './check-redis.js';
export { connectRedis, waitUntilReady } from './redis.js';
export type { RedisConnectionPurpose, RedisClient } from './redis.js';
export type { RedisClusterTarget, RedisTarget, RedisServerOptions } from './redis-target.js';
export { parseRedisUrl, redisUrlSchema } from './redis-url.js';

export { transactionHandle } from './transaction-handle.js';
export type { TransactionHandle } from './transaction-handle.js';
export { QueueUsageError } from './queue-usage-error.js';
export type { TransactionAdapterOptions } from './adapters/foreign-library-transaction-handle.js';
export { fromDrizzle, type DrizzleTransaction } from './adapters/from-drizzle.js';
export { fromKnex, type KnexTransaction } from './adapters/from-knex.js';
export { fromKysely, type KyselyTransaction } from './adapters/from-kysely.js';
export { fromPg, type PgClient } from './adapters/from-pg.js';
export { fromPrisma, type PrismaTransactionClient } from './adapters/from-prisma.js';
export { fromTypeOrm, type TypeOrmEntityManager, type TypeOrmQueryRunner } from './adapters/from-typeorm.js';

export type { ClientTransaction } from './outbox/client-transaction.js';
export { defineOutboxMessage, OutboxMessageVersionError } from './outbox/outbox-message-type.js';
export type { OutboxMessageType, OutboxMessageOptions } from './outbox/outbox-message-type.js';
export { Outbox } from './outbox/outbox.js';
export { defaultOutboxSettings } from './outbox/outbox-options.js';
export type { OutboxAddOptions, OutboxOptions, QueueRole } from './outbox/outbox-options.js';
export type { OutboxBatchDispatchSettings, SelectKeysNeedingDispatch } from './outbox/outbox-batch-drain.js';
export type { OutboxDispatchResult, DispatchedOutboxRow, OutboxRowsDispatcher } from './outbox/outbox-dispatcher.js';
export { firstInlineParameterNumber } from './outbox/inline-dispatch.js';
export type {
  OutboxDispatchSettings,
  InlineDispatcher,
  InlineOutboxRow,
  InlineDispatchWork,
} from './outbox/inline-dispatch.js';
export type { WaitingOutboxRowStatistics } from './outbox/waiting-outbox-rows.js';
export type { DeadLetterFilter, DeadLetterSelection, DeadLetter } from './outbox/dead-letters.js';
export { withOutbox } from './outbox/with-outbox.js';

export { DeduplicationInbox, defaultDeduplicationInboxSettings } from './inbox/deduplication-inbox.js';
export type { DeduplicationInboxOptions, DeduplicationInboxResult } from './inbox/deduplication-inbox.js';

export {
  defineJob,
  computeBackoffDelayMs,
  FinalJobError,
  JobCancelledError,
  JobTimeoutError,
  WorkerStoppingError,
} from './jobs/define-job.js';
export type { JobRetryBackoff, JobDefinition, JobOptions, RateLimit } from './jobs/define-job.js';
export type { JobRepeatSchedule } from './jobs/job-repeat-schedule.js';
export type { FailedJob, FailedJobFilter, FailedJobPage } from './jobs/failed-jobs.js';
export { createFlowJob } from './jobs/job-flows.js';
export type { ChildJobOutcome } from './jobs/child-job-outcomes.js';
export type { FlowJob, FlowJobOptions } from './jobs/job-flows.js';
export type { JobWithState, JobState } from './jobs/job-with-state.js';
export type { JobListFilter } from './jobs/listed-jobs.js';
export type { JobFailureHook, PermanentJobFailure } from './jobs/job-failure-hooks.js';
export type { ActiveJob } from './jobs/active-jobs.js';
export type { WorkerProcess } from './jobs/worker-registry.js';
export type { JobContext } from './jobs/job-attempt.js';
export type { JobHandler } from './jobs/job-runner.js';
export { Jobs } from './jobs/jobs.js';
export type { AddJobOptions, InlineRunner, JobMetrics, JobsSettings } from './jobs/jobs-settings.js';

export { EventLog } from './event-log/event-log.js';
export { createNewLogEpochsSql } from './event-log/number-log-rows.js';
export type { NewLogEntry } from './event-log/new-log-entry.js';
export { defaultEventLogSettings } from './event-log/event-log-options.js';
export type { EventLogMetrics, EventLogOptions, EventLogSettings } from './event-log/event-log-options.js';
export {
  BadEventQueueError,
  EntryTooLongError,
  EventAheadError,
  EventLogInUseError,
  EventLogUnavailableError,
  EventPrunedError,
  TooManyRegistrationsError,
} from './event-log/event-log-errors.js';
export type { RealmLogState, RealmLogFilter } from './event-log/realm-logs.js';
export { isInAudience, AudienceUserIds } from './event-log/audience.js';
export type { Audience, ParsedAudience, UserId } from './event-log/audience.js';
export type { LogEntry } from './event-log/log-entry.js';
export type {
  ClosableStream,
  EventPollEndCallbacks,
  EventPollRequest,
  EventStreamCallbacks,
  EventStreamRequest,
} from './event-log/poll-request.js';
export type { ClientEvent, EventQueueRecord, LogEntryRenderer } from './event-log/event-queue-view.js';
export type {
  PreviousEventQueue,
  RegisteredEventQueue,
  EventQueueRegistrationOptions,
  RegistrationSnapshotReader,
} from './event-log/register-queue.js';
