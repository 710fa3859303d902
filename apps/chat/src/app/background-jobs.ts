import { type DynamicModule, Module } from '@nestjs/common';
import { QueueModule, type ShutdownPhases } from '@switchboard/nest';
import { Jobs } from '@switchboard/queue';
import { sendMailJobDefinition, recoverLostMailsJobDefinition } from '../infra/mail/index.js';
import { MailJobHandlers } from './mail-jobs.js';
import type { ChatRuntime } from './runtime.js';
import { createFeatureModulesRuntime } from './create-service-slices.js';
import { chatFeatureModules } from './slices.js';
import {
  analyzeTablesJob,
  removeRecordedChangesJob,
  TableMaintenanceJobHandlers,
} from './database-table-maintenance-jobs.js';

/**
 * Returns the background jobs of the service with the handlers of its feature modules. Must be called before the first
 * commit, because the outbox may dispatch committed rows immediately.
 */
export function openBackgroundJobs(runtime: ChatRuntime): Jobs {
  const { config, logger, outbox } = runtime;
  const work = createFeatureModulesRuntime(runtime);
  const parts = chatFeatureModules.flatMap(({ jobs }) => jobs?.(work) ?? []);
  const own = [sendMailJobDefinition, recoverLostMailsJobDefinition, removeRecordedChangesJob, analyzeTablesJob];
  const jobs = new Jobs({
    redis: config.REDIS_URL,
    prefix: config.REDIS_KEY_PREFIX,
    definitions: [...own, ...parts.flatMap(({ definitions }) => definitions)],
    logger,
    logFor: (fields) => logger.child(fields),
    // The rest of the time is for returning unfinished jobs and closing connections.
    stopGraceMs: config.SHUTDOWN_TIMEOUT_MS / 2,
  });
  for (const part of parts) part.attach(jobs, outbox);
  return jobs;
}

/** Nest module of the outbox and job handlers that belong to no feature module. */
@Module({})
class OutboxAndJobHandlersModule {}

/**
 * Returns the modules that start and stop the outbox, the event log and the jobs of a process. Processes with the role
 * `worker` or `all` run jobs; processes with the role `api` only add jobs.
 */
export function createBackgroundModules(runtime: ChatRuntime, jobs: Jobs, shutdown: ShutdownPhases): DynamicModule[] {
  const { config, database, outbox, eventLog, logger } = runtime;
  const handlers = [
    { provide: MailJobHandlers, useValue: new MailJobHandlers(runtime, jobs) },
    { provide: TableMaintenanceJobHandlers, useValue: new TableMaintenanceJobHandlers(runtime) },
  ];
  const connections = { pool: database.servicePool, redis: config.REDIS_URL, prefix: config.REDIS_KEY_PREFIX };
  return [
    { module: OutboxAndJobHandlersModule, providers: handlers },
    QueueModule.forRoot({ ...connections, role: config.ROLE, logger, outbox, eventLog, jobs, shutdown }),
  ];
}
