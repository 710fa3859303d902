import type { Tx } from '@switchboard/database';
import { defineJob, type Dispatcher, type JobDefinition, type Jobs } from '@switchboard/queue';
import { z } from 'zod';
import type { BotCall } from '../../core/messages/index.js';
import { addBotCalls, listOldBotCalls } from './bot-calls.repository.js';
import type { BotCallConfig } from './settings.js';

const botCallJobPayload = z.strictObject({ id: z.string(), botId: z.int() });

/**
 * Definition of the job that sends a request to the service of an outgoing webhook bot. The request is stored in
 * `bot_calls`.
 */
export type BotCallJob = JobDefinition<z.infer<typeof botCallJobPayload>>;

/** Maximum delay between two attempts to call a bot's service, in milliseconds. */
const maxRetryDelayMs = 300_000;

/**
 * Time in milliseconds that an attempt takes in addition to the request to the service: reading the call and writing
 * the reply.
 */
const outcomeRecordingTimeMs = 20_000;

/**
 * Defines the job that sends requests to bots' services. A few requests of a bot run concurrently, so that a slow
 * service leaves capacity for others.
 */
export function defineBotCallJob(config: BotCallConfig): BotCallJob {
  const { BOT_CALL_RETRIES: retries, BOT_CALL_RETRY_INITIAL_MS: initialMs, BOT_CALL_TIMEOUT_MS: timeoutMs } = config;
  return defineJob({
    name: 'bots.call',
    payload: botCallJobPayload,
    attempts: retries + 1,
    backoff: { initialMs, maxMs: maxRetryDelayMs },
    timeoutMs: timeoutMs + outcomeRecordingTimeMs,
    concurrency: 20,
    rateLimit: { key: ({ botId }) => String(botId), max: 50, perMs: 1000, concurrency: 4 },
  });
}

/** Periodic job that finds stored bot calls whose job was lost. */
export const sweepCallsJob = defineJob({
  name: 'bots.sweep',
  payload: z.strictObject({}),
  attempts: 1,
  repeat: { everyMs: 60_000, payload: {} },
});

/** Returns the handler that stores bot calls from the outbox and adds their jobs, with one statement per batch. */
export function botCallDispatcher(jobs: Pick<Jobs, 'addBulk'>, job: BotCallJob): Dispatcher<BotCall> {
  return async (rows, tx) => {
    await addBotCalls(tx, rows);
    const work = rows.map((row) => ({ ...createBotCallJob(String(row.id), row.payload.botId), context: row.context }));
    return { afterCommit: () => jobs.addBulk(job, work) };
  };
}

/**
 * Adds jobs for bot calls that have waited for a minute. A job has the id of its call, so that no call gets a second
 * job.
 */
export async function sweepBotCalls(tx: Tx, jobs: Pick<Jobs, 'addBulk'>, job: BotCallJob): Promise<void> {
  const calls = await listOldBotCalls(tx);
  await jobs.addBulk(
    job,
    calls.map(({ id, botId }) => createBotCallJob(id, botId)),
  );
}

function createBotCallJob(id: string, botId: number) {
  return { payload: { id, botId }, id: `bot-call-${id}` };
}
