import type { Tx } from '@switchboard/database';
import { defineJob, type OutboxRowsDispatcher, type JobDefinition, type Jobs } from '@switchboard/queue';
import { z } from 'zod';
import type { BotServiceRequest } from '../../core/messages/index.js';
import { addBotServiceRequests, listOldBotServiceRequests } from './bot-calls.repository.js';
import type { BotServiceRequestConfiguration } from './settings.js';

const botServiceRequestJobPayload = z.strictObject({ id: z.string(), botId: z.int() });

/**
 * Definition of the job that sends a request to the service of an outgoing webhook bot. The table `bot_calls` stores
 * the request.
 */
export type BotServiceRequestJob = JobDefinition<z.infer<typeof botServiceRequestJobPayload>>;

/** Maximum delay between two attempts to call a bot's service, in milliseconds. */
const maxBotServiceRetryMs = 300_000;

/**
 * Time in milliseconds that an attempt takes in addition to the request to the bot's service. The time is for reading
 * the stored request and writing the reply.
 */
const botServiceOutcomeRecordingMs = 20_000;

/**
 * Defines the job that sends requests to bots' services. Only a few requests of one bot run concurrently, so that a
 * slow service leaves capacity for other services.
 */
export function defineBotServiceRequestJob(config: BotServiceRequestConfiguration): BotServiceRequestJob {
  const { BOT_CALL_RETRIES: retries, BOT_CALL_RETRY_INITIAL_MS: initialMs, BOT_CALL_TIMEOUT_MS: timeoutMs } = config;
  return defineJob({
    name: 'bots.call',
    payload: botServiceRequestJobPayload,
    attempts: retries + 1,
    backoff: { initialMs, maxMs: maxBotServiceRetryMs },
    timeoutMs: timeoutMs + botServiceOutcomeRecordingMs,
    concurrency: 20,
    rateLimit: { key: ({ botId }) => String(botId), max: 50, perMs: 1000, concurrency: 4 },
  });
}

/** Periodic job that adds a new job for stored requests to bots' services whose job was lost. */
export const lostBotServiceRequestsJob = defineJob({
  name: 'bots.sweep',
  payload: z.strictObject({}),
  attempts: 1,
  repeat: { everyMs: 60_000, payload: {} },
});

/**
 * Returns the outbox handler that stores requests to bots' services and adds their jobs. Executes one SQL statement per
 * batch.
 */
export function createBotServiceRequestDispatcher(
  jobs: Pick<Jobs, 'addBulk'>,
  job: BotServiceRequestJob,
): OutboxRowsDispatcher<BotServiceRequest> {
  return async (rows, tx) => {
    await addBotServiceRequests(tx, rows);
    const work = rows.map((row) => ({
      ...createBotServiceRequestJob(String(row.id), row.payload.botId),
      context: row.context,
    }));
    return { afterCommit: () => jobs.addBulk(job, work) };
  };
}

/**
 * Adds jobs for stored requests to bots' services that have waited for a minute. A job has the id of its stored
 * request, so that no request has two jobs.
 */
export async function requeueLostBotServiceRequests(
  tx: Tx,
  jobs: Pick<Jobs, 'addBulk'>,
  job: BotServiceRequestJob,
): Promise<void> {
  const calls = await listOldBotServiceRequests(tx);
  await jobs.addBulk(
    job,
    calls.map(({ id, botId }) => createBotServiceRequestJob(id, botId)),
  );
}

function createBotServiceRequestJob(id: string, botId: number) {
  return { payload: { id, botId }, id: `bot-call-${id}` };
}
