import { analyzeChangedTables, ChangeSweep } from '@switchboard/database';
import { defineJob, Jobs } from '@switchboard/queue';
import { z } from 'zod';
import { ChatEvents } from '../events/chat-events.js';
import type { SliceJobs } from '../events/define-slice.js';
import {
  mailDispatcher,
  mailMessage,
  sendMail,
  sendMailJob,
  sweepMails,
  sweepMailsJob,
  writtenMailDispatcher,
} from '../infra/mail/index.js';
import type { ChatRuntime } from './runtime.js';
import type { SliceRuntime } from './service-slices.js';
import { slices } from './slices.js';

/** Schema of the empty payload of periodic jobs. */
const emptyPayload = z.strictObject({});

/**
 * Periodic job that runs {@link ChangeSweep} every minute. A run records a database snapshot. Ten minutes later, rows
 * of `changes.model_changes` whose transactions had ended in that snapshot are removed.
 */
const sweepChangesJob = defineJob({
  name: 'changes.sweep',
  payload: emptyPayload,
  attempts: 3,
  concurrency: 1,
  repeat: { everyMs: 60_000, payload: {} },
});

/** Periodic job that updates table statistics. After a bulk change they are outdated for at most one period. */
const analyzeTablesJob = defineJob({
  name: 'tables.analyze',
  payload: emptyPayload,
  attempts: 1,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 60_000, payload: {} },
});

/**
 * Returns the jobs of the service with their handlers. It must be called before `outbox.start()`, which may dispatch
 * rows immediately. Processes with the role `worker` or `all` run the jobs; `api` only adds them.
 */
export function openJobs(runtime: ChatRuntime): Jobs {
  const { config, logger, outbox } = runtime;
  const work: SliceRuntime = { ...runtime, events: new ChatEvents(runtime.eventLog, config) };
  const parts = [mailJobs(runtime), tableJobs(runtime), ...slices.flatMap(({ jobs }) => jobs?.(work) ?? [])];
  const jobs = new Jobs({
    redis: config.REDIS_URL,
    prefix: config.REDIS_KEY_PREFIX,
    definitions: parts.flatMap(({ definitions }) => definitions),
    logger,
    logFor: (fields) => logger.child(fields),
    // The rest of the time is for returning unfinished jobs and closing connections.
    stopGraceMs: config.SHUTDOWN_TIMEOUT_MS / 2,
  });
  for (const part of parts) part.attach(jobs, outbox);
  return jobs;
}

function mailJobs({ database, mailTransport: transport, secrets }: ChatRuntime): SliceJobs {
  return {
    definitions: [sendMailJob, sweepMailsJob],
    attach(jobs, outbox) {
      outbox.dispatch(mailMessage, writtenMailDispatcher(mailDispatcher(jobs, secrets), secrets));
      jobs.handle(sendMailJob, ({ id }, attempt) => sendMail(database, { transport, secrets }, id, attempt));
      jobs.handle(sweepMailsJob, () => sweepMails(database.background('mail sweep'), jobs));
    },
  };
}

function tableJobs({ database, clock }: ChatRuntime): SliceJobs {
  return {
    definitions: [sweepChangesJob, analyzeTablesJob],
    attach(jobs) {
      const sweep = new ChangeSweep(database.background('change sweep'), { nowMs: () => clock.now() });
      jobs.handle(sweepChangesJob, async () => void (await sweep.run()));
      const statistics = database.background('table statistics');
      jobs.handle(analyzeTablesJob, (_nothing, { signal }) => analyzeChangedTables(statistics, signal));
    },
  };
}
