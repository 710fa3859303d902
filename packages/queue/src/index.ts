export type { QueueConnection, QueuePool, QueueTx } from './database.js';
export { processClock, silentLogger } from './environment.js';
export type { QueueClock, QueueLogger, TraceContext } from './environment.js';
export { RedisUnavailableError } from './bull-queues.js';
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

export { EventLog, eventLogDefaults } from './event-log/event-log.js';
export type { EventLogOptions, EventLogSettings, NewEntry } from './event-log/event-log.js';
export { BadEventQueueError, EventAheadError, EventLogUnavailableError, EventPrunedError } from './event-log/errors.js';
export { audienceIncludes } from './event-log/audience.js';
export type { Audience, PackedAudience } from './event-log/audience.js';
export type { LogEntry } from './event-log/log-entry.js';
export type { PollRequest } from './event-log/polling.js';
export type { ClientEvent, QueueRecord, Renderer } from './event-log/queue-view.js';
export type { Registered, RegisterOptions } from './event-log/registration.js';
