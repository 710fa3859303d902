import { analyzeChangedTables, ChangeSweep } from '@switchboard/database';
import { defineJob, Jobs } from '@switchboard/queue';
import { z } from 'zod';
import type { ChatConfig } from '../config.js';
import { ChatEvents } from '../events/chat-events.js';
import { mailDispatcher, mailTopic, sendMail, sendMailJob, sweepMails, sweepMailsJob } from '../infra/mail/index.js';
import {
  botCallDispatcher,
  type BotCallJob,
  defineBotCallJob,
  MakeBotCall,
  sweepCalls,
  sweepCallsJob,
} from '../features/bot-calls/index.js';
import { removeUnusedAttachments } from '../core/attachments/index.js';
import { removeExpiredSessions } from '../features/authentication/index.js';
import { removeExpiredRecords } from '../features/expired-records/index.js';
import { foldSubscriberCounts, measureTraffic } from '../core/channels/index.js';
import { MessageReaders } from '../core/message-access/index.js';
import {
  deleteDoomedMessages,
  doomedSendersDispatcher,
  doomedSendersTopic,
  expireMessages,
} from '../features/message-retention/index.js';
import { botCallTopic, ClientNames, missedTopic, SendMessage } from '../core/messages/index.js';
import { RunMoves } from '../features/message-editing/index.js';
import { mailMissed, mailMissedJob, missedDispatcher } from '../features/missed-messages/index.js';
import { runAll } from '../infra/run-all.js';
import { deactivateSoftly, removeOldSubscriptionChanges } from '../core/soft-deactivation/index.js';
import { promoteMembers } from '../core/user-groups/index.js';
import type { ChatRuntime } from './runtime.js';
import { FileLedger } from '../infra/storage/index.js';

/** Payload of a periodic job. */
const nothing = z.strictObject({});

/** Members become full ones by the passing of time (docs/contract/chat.md 6.2). */
const promoteMembersJob = defineJob({
  name: 'members.promote',
  payload: nothing,
  attempts: 3,
  repeat: { everyMs: 300_000, payload: {} },
});

/** A reader of a subscriber count reads a row for each change since the last run. */
const foldSubscriberCountsJob = defineJob({
  name: 'subscriber-counts.fold',
  payload: nothing,
  attempts: 3,
  concurrency: 1,
  repeat: { everyMs: 60_000, payload: {} },
});

/** Rows of changes are kept for ten minutes at least; a run takes the snapshot that a later one removes rows by. */
const sweepChangesJob = defineJob({
  name: 'changes.sweep',
  payload: nothing,
  attempts: 3,
  concurrency: 1,
  repeat: { everyMs: 60_000, payload: {} },
});

/** Statistics are old at most this long after a bulk change. */
const analyzeTablesJob = defineJob({
  name: 'tables.analyze',
  payload: nothing,
  attempts: 1,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 60_000, payload: {} },
});

const expireRecordsJob = defineJob({
  name: 'records.expire',
  payload: nothing,
  attempts: 3,
  concurrency: 1,
  repeat: { everyMs: 3_600_000, payload: {} },
});

/** Reads all changes of subscriptions, therefore once a day. */
const expireSubscriptionChangesJob = defineJob({
  name: 'subscription-changes.expire',
  payload: nothing,
  attempts: 3,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 86_400_000, payload: {} },
});

/** The shortest absence is a day: an hour more does not matter. */
const deactivateSoftlyJob = defineJob({
  name: 'users.deactivate-softly',
  payload: nothing,
  attempts: 3,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 3_600_000, payload: {} },
});

const expireUploadsJob = defineJob({
  name: 'uploads.expire',
  payload: nothing,
  attempts: 3,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 3_600_000, payload: {} },
});

const expireSessionsJob = defineJob({
  name: 'sessions.expire',
  payload: nothing,
  attempts: 3,
  repeat: { everyMs: 3_600_000, payload: {} },
});

/** Messages go when they are older than they are kept. What is left after the time limit goes the next time. */
const expireMessagesJob = (config: Pick<ChatConfig, 'RETENTION_PERIOD_MS'>) =>
  defineJob({
    name: 'messages.expire',
    payload: nothing,
    attempts: 3,
    concurrency: 1,
    timeoutMs: 600_000,
    repeat: { everyMs: config.RETENTION_PERIOD_MS, payload: {} },
  });

/** Finishes moves of messages whose process has died. */
const finishMovesJob = defineJob({
  name: 'messages.move',
  payload: nothing,
  // Failures are counted in the moves, and each is logged.
  attempts: 1,
  concurrency: 1,
  timeoutMs: 600_000,
  repeat: { everyMs: 10_000, payload: {} },
});

/** Updates the traffic statistics of channels. */
const measureTrafficJob = (config: Pick<ChatConfig, 'CHANNEL_TRAFFIC_PERIOD_MS'>) =>
  defineJob({
    name: 'channels.traffic',
    payload: nothing,
    attempts: 3,
    concurrency: 1,
    timeoutMs: 600_000,
    repeat: { everyMs: config.CHANNEL_TRAFFIC_PERIOD_MS, payload: {} },
  });

/**
 * The background work of the service: all its kinds, each with its handler. To be called before `outbox.start()`, which
 * may dispatch at once. Roles `worker` and `all` start it; role `api` only adds.
 */
export function openJobs(runtime: ChatRuntime): Jobs {
  const { config, logger, database, outbox, mailTransport } = runtime;
  const messagesJob = expireMessagesJob(config);
  const missedJob = mailMissedJob(config);
  const trafficJob = measureTrafficJob(config);
  const botCallJob = defineBotCallJob(config);
  const jobs = new Jobs({
    redis: config.REDIS_URL,
    prefix: config.REDIS_KEY_PREFIX,
    definitions: [
      sendMailJob,
      sweepMailsJob,
      promoteMembersJob,
      expireSessionsJob,
      expireRecordsJob,
      expireSubscriptionChangesJob,
      expireUploadsJob,
      deactivateSoftlyJob,
      foldSubscriberCountsJob,
      sweepChangesJob,
      analyzeTablesJob,
      messagesJob,
      finishMovesJob,
      missedJob,
      trafficJob,
      botCallJob,
      sweepCallsJob,
    ],
    logger,
    logFor: (fields) => logger.child(fields),
    // The rest of the time is for giving back what does not finish, and for what is closed after this.
    stopGraceMs: config.SHUTDOWN_TIMEOUT_MS / 2,
  });
  const events = new ChatEvents(runtime.eventLog, config);
  outbox.dispatch(mailTopic, mailDispatcher(jobs));
  jobs.handle(sendMailJob, ({ id }, attempt) => sendMail(database, mailTransport, id, attempt));
  jobs.handle(sweepMailsJob, () => sweepMails(database.background('mail sweep'), jobs));
  jobs.handle(promoteMembersJob, () => promoteMembers(database.background('member promotion'), events));
  jobs.handle(expireSessionsJob, () => removeExpiredSessions(database.background('session expiry')));
  const expiry = database.background('record expiry');
  jobs.handle(expireRecordsJob, () => removeExpiredRecords(expiry, config.EXPIRED_RECORDS_DAYS));
  jobs.handle(expireSubscriptionChangesJob, (_nothing, { signal }) =>
    removeOldSubscriptionChanges(expiry, config.EXPIRED_RECORDS_DAYS, signal),
  );
  jobs.handle(foldSubscriberCountsJob, () => foldSubscriberCounts(database.background('subscriber counts')));
  const { clock } = runtime;
  handleTables(runtime, jobs);
  const retention = {
    database: database.background('message retention'),
    events,
    readers: new MessageReaders(runtime.subscribers),
    clock,
    batchSize: config.RETENTION_BATCH_SIZE,
  };
  const traffic = { database: database.background('channel traffic'), events, clock };
  jobs.handle(trafficJob, () => measureTraffic(traffic));
  outbox.dispatch(
    missedTopic,
    missedDispatcher(() => clock.now()),
  );
  const missed = { ...runtime, database: database.background('missed messages') };
  jobs.handle(missedJob, (_nothing, { signal }) => mailMissed(missed, signal));
  outbox.dispatch(
    doomedSendersTopic,
    doomedSendersDispatcher(() => jobs.add(messagesJob, {})),
  );
  jobs.handle(messagesJob, async (_nothing, { signal }) => {
    await runAll([() => deleteDoomedMessages(retention, signal), () => expireMessages(retention, signal)]);
  });
  handleMoves(runtime, jobs, events);
  handleUploads(runtime, jobs, events);
  const softly = {
    database: database.background('soft deactivation'),
    eventLog: runtime.eventLog,
    days: config.SOFT_DEACTIVATION_DAYS,
  };
  jobs.handle(deactivateSoftlyJob, (_nothing, { signal }) => deactivateSoftly(softly, signal));
  handleBotCalls(runtime, jobs, botCallJob, events);
  return jobs;
}

function handleTables({ database, clock }: ChatRuntime, jobs: Jobs): void {
  const sweep = new ChangeSweep(database.background('change sweep'), { nowMs: () => clock.now() });
  jobs.handle(sweepChangesJob, async () => void (await sweep.run()));
  const statistics = database.background('table statistics');
  jobs.handle(analyzeTablesJob, (_nothing, { signal }) => analyzeChangedTables(statistics, signal));
}

function handleUploads(
  { config, database: shared, files: { storage } }: ChatRuntime,
  jobs: Jobs,
  events: ChatEvents,
): void {
  const database = shared.background('upload expiry');
  const files = new FileLedger(database, storage);
  const tools = { database, events, files, days: config.UNUSED_UPLOADS_DAYS };
  jobs.handle(expireUploadsJob, (_nothing, { signal }) => removeUnusedAttachments(tools, signal));
}

function handleMoves(
  { config, database: shared, renderer, clock, realmContents, subscribers }: ChatRuntime,
  jobs: Jobs,
  events: ChatEvents,
) {
  const database = shared.background('message moves');
  const clients = new ClientNames(database, config);
  const readers = new MessageReaders(subscribers);
  const moves = new RunMoves(database, renderer, clock, events, clients, realmContents, readers);
  jobs.handle(finishMovesJob, (_nothing, { signal }) => moves.finishAbandoned(signal));
}

function handleBotCalls(runtime: ChatRuntime, jobs: Jobs, job: BotCallJob, events: ChatEvents): void {
  const { database, outbox, apiKeys, renderer, realmContents, attention, botServices } = runtime;
  const clients = new ClientNames(database, runtime.config);
  const sendMessage = new SendMessage(database, renderer, events, clients, realmContents, attention, outbox);
  const calls = new MakeBotCall({ database, apiKeys, sendMessage, outbound: botServices });
  outbox.dispatch(botCallTopic, botCallDispatcher(jobs, job));
  jobs.handle(job, ({ id }, context) => calls.run(id, context));
  jobs.handle(sweepCallsJob, () => sweepCalls(database.background('bot call sweep'), jobs, job));
}
