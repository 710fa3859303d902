import type { Database } from '@switchboard/database';
import type { Clock } from '@switchboard/platform';
import { defineJob } from '@switchboard/queue';
import { z } from 'zod';
import type { ChatConfig } from '../../config.js';
import type { ChatEventWriter } from '../../events/chat-events.js';
import type { FeatureModuleJobs } from '../../events/define-feature-slice.js';
import { updateChannelTraffic } from './measure-channel-traffic.js';
import { mergeSubscriberCounts } from './subscriber-counts.js';

/**
 * Periodic job that merges rows of `subscriber_counts`. Before the job runs, reading a channel's count adds up one row
 * for each change.
 */
const mergeSubscriberCountsJob = defineJob({
  name: 'subscriber-counts.fold',
  payload: z.strictObject({}),
  attempts: 3,
  concurrency: 1,
  repeat: { everyMs: 60_000, payload: {} },
});

/** Periodic job that updates the traffic statistics of channels. */
const measureChannelTrafficJob = (config: Pick<ChatConfig, 'CHANNEL_TRAFFIC_PERIOD_MS'>) =>
  defineJob({
    name: 'channels.traffic',
    payload: z.strictObject({}),
    attempts: 3,
    concurrency: 1,
    timeoutMs: 600_000,
    repeat: { everyMs: config.CHANNEL_TRAFFIC_PERIOD_MS, payload: {} },
  });

/**
 * Returns the periodic jobs that maintain subscriber counts and traffic statistics of channels, with their handlers.
 */
export function createChannelJobs({
  config,
  database,
  events,
  clock,
}: {
  readonly config: Pick<ChatConfig, 'CHANNEL_TRAFFIC_PERIOD_MS'>;
  readonly database: Database;
  readonly events: ChatEventWriter;
  readonly clock: Clock;
}): FeatureModuleJobs {
  const trafficJob = measureChannelTrafficJob(config);
  return {
    definitions: [trafficJob, mergeSubscriberCountsJob],
    attach(jobs) {
      const traffic = { database: database.background('channel traffic'), events, clock };
      jobs.handle(trafficJob, () => updateChannelTraffic(traffic));
      jobs.handle(mergeSubscriberCountsJob, () => mergeSubscriberCounts(database.background('subscriber counts')));
    },
  };
}
