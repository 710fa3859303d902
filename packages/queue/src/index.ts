export type { QueueConnection, QueuePool, QueueTx } from './database.js';
export { processClock, silentLogger } from './environment.js';
export type { QueueClock, QueueLogger, TraceContext } from './environment.js';
export { applyQueueMigrations, QueueMigrationError } from './migrations.js';
export type { ClusterTarget, RedisTarget, ServerOptions } from './redis.js';

export { defineTopic, QueueUsageError } from './outbox/topic.js';
export type { Topic, TopicOptions } from './outbox/topic.js';
export { Outbox, outboxDefaults } from './outbox/outbox.js';
export type { AddOptions, OutboxOptions, QueueRole } from './outbox/outbox.js';
export type { DispatchRow, Dispatcher, DrainSettings } from './outbox/batch-drain.js';
export type { SetAsideRow, TopicDepth } from './outbox/rows.js';
export { withOutbox } from './outbox/with-outbox.js';

export { defineJob, backoffDelayMs, FinalJobError, JobTimeoutError, WorkerStoppingError } from './jobs/define-job.js';
export type { Backoff, JobDefinition, JobOptions } from './jobs/define-job.js';
export type { JobContext, JobHandler } from './jobs/job-runner.js';
export { Jobs } from './jobs/jobs.js';
export type { AddJobOptions, FailedJob, JobsSettings } from './jobs/jobs.js';
