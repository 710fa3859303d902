import { integerVariableSchema, listVariableSchema, createServiceEnvironmentSchema } from '@switchboard/platform';
import { redisUrlSchema } from '@switchboard/queue';
import { z } from 'zod';
import { requestLimitEnvironmentVariables } from './infra/http/request-limits.js';
import { imageEnvironmentVariables } from './infra/images/process-images.js';
import { incomingMailEnvironmentVariables } from './infra/incoming-mail/incoming-mail-env.js';
import { mailEnvironmentVariables } from './infra/mail/mail-env.js';
import { storageLimitsPerUserVariables } from './infra/personal-limits/index.js';
import { rateLimitEnvironmentVariables } from './infra/rate-limits/index.js';
import { fileStorageEnvironmentVariables } from './infra/storage/storage-env.js';
import { videoCallEnvironmentVariables } from './infra/video/video-env.js';

/** Schema of the chat service's environment variables, except the variables that feature modules (slices) declare. */
export const commonChatEnvironmentSchema = createServiceEnvironmentSchema({
  name: 'chat',
  port: 9991,
  redisUrl: redisUrlSchema,
  sealed: 'API keys',
  digested: 'API key',
}).extend({
  HOST_ALIASES: listVariableSchema().prefault('').meta({
    description:
      'Hosts, separated by commas, that production serves in addition to the hosts of organizations; requests for any other host get 404',
  }),
  DEMO_EMAIL_DOMAIN: z
    .string()
    .default('example.com')
    .meta({ description: 'Domain of the demo accounts that development mode creates' }),
  DEMO_BOT_DOMAIN: z
    .string()
    .optional()
    .meta({ description: 'Domain of the demo bots; that of the demo accounts when absent' }),
  EVENT_QUEUE_IDLE_SECONDS: integerVariableSchema({ min: 1, max: 604_800 })
    .default(600)
    .meta({ description: 'Idle timeout of event queues, in seconds' }),
  EVENT_QUEUE_MOBILE_IDLE_SECONDS: integerVariableSchema({ min: 1, max: 604_800 })
    .default(43_200)
    .meta({ description: 'Idle timeout of event queues registered by mobile clients, in seconds' }),
  EVENT_QUEUE_MAX_IDLE_SECONDS: integerVariableSchema({ min: 1, max: 604_800 })
    .default(604_800)
    .meta({ description: 'Longest idle timeout of an event queue that a client may request, in seconds' }),
  EVENT_QUEUE_COLLECT_MS: integerVariableSchema({ min: 100, max: 3_600_000 })
    .default(60_000)
    .meta({ description: 'Interval between removals of expired event queues, in milliseconds' }),
  EVENT_QUEUE_DELTA_SECONDS: integerVariableSchema({ min: 0, max: 604_800 }).default(86_400).meta({
    description:
      'Time in seconds after the end of an idle event queue in which its client can register again for the changes only (`last_known`). For that time Redis stores the events that such queues have not acknowledged, at most `EVENT_LOG_CAP_BYTES` for each organization; 0 turns this off',
  }),
  EVENT_QUEUE_CAP: integerVariableSchema({ min: 1 })
    .default(10_000)
    .meta({ description: 'Most events that wait in one event queue; a queue with more is deleted' }),
  EVENT_LOG_TAIL_BYTES: integerVariableSchema({ min: 1_000_000 })
    .default(67_108_864)
    .meta({ description: 'Memory of one process for the newest events, in bytes' }),
  SNAPSHOT_MEMORY_BYTES: integerVariableSchema({ min: 0 }).default(134_217_728).meta({
    description:
      'Memory of one process for cached lists of users, groups and channels, in bytes. 0 reads the lists for each request, which is necessary for a database fed by logical replication',
  }),
  REGISTRATION_CAP: integerVariableSchema({ min: 1 }).default(1_000).meta({
    description: 'Registrations under way in one process; further ones get status 503 with `Retry-After`',
  }),
  EVENT_LOG_CAP_BYTES: integerVariableSchema({ min: 1_000_000 })
    .default(268_435_456)
    .meta({ description: 'Memory of Redis for the event log of one organization, in bytes' }),
  EVENT_HEARTBEAT_MS: integerVariableSchema({ min: 100, max: 60_000 })
    .default(50_000)
    .meta({ description: 'Time until a long poll without events gets a heartbeat event, in milliseconds' }),
  EVENT_STREAM_MS: integerVariableSchema({ min: 100, max: 86_400_000 }).default(600_000).meta({
    description:
      'Time after which a stream of events is ended at its next event or heartbeat, in milliseconds. The client reconnects and acknowledges the received events',
  }),
  EVENT_STREAM_WRITE_MS: integerVariableSchema({ min: 100, max: 600_000 })
    .default(30_000)
    .meta({ description: 'Time within which the client of a stream of events has to read, in milliseconds' }),
  INVITES_PER_DAY: integerVariableSchema({ min: 1 })
    .default(100)
    .meta({ description: 'Most addresses that the members of one organization may invite within a day' }),
  ...mailEnvironmentVariables,
  ...incomingMailEnvironmentVariables,
  SESSION_SECONDS: integerVariableSchema({ min: 60, max: 31_536_000 })
    .default(1_209_600)
    .meta({ description: 'Lifetime of a browser session, in seconds' }),
  MESSAGES_MAX_BYTES: integerVariableSchema({ min: 100_000, max: 268_435_456 }).default(33_554_432).meta({
    description:
      'Largest list of messages in one response, in bytes; a larger list is refused with 400. Pages of up to 100 messages reach the limit only with more than 10,000 reactions or submessages',
  }),
  BULK_CHANGE_BUDGET_MS: integerVariableSchema({ min: 0, max: 600_000 })
    .default(50_000)
    .meta({ description: 'Time budget of one request that changes messages in batches, in milliseconds' }),
  CHANNEL_TRAFFIC_PERIOD_MS: integerVariableSchema({ min: 100, max: 86_400_000 })
    .default(21_600_000)
    .meta({ description: 'Interval between updates of channel traffic statistics, in milliseconds' }),
  RETENTION_PERIOD_MS: integerVariableSchema({ min: 100, max: 86_400_000 })
    .default(3_600_000)
    .meta({ description: 'Interval between runs of message retention, in milliseconds' }),
  RETENTION_BATCH_SIZE: integerVariableSchema({ min: 1, max: 1_000_000 }).default(4_000).meta({
    description:
      'Most rows of recipients that one transaction of message retention deletes; batches get smaller while they lock a channel for more than 100 ms',
  }),
  EXPIRED_RECORDS_DAYS: integerVariableSchema({ min: 1, max: 36_500 }).default(30).meta({
    description:
      'Days until ended invitations, e-mail changes and links for new passwords are removed; also outdated changes of subscriptions, and records of mails to channels',
  }),
  UNUSED_UPLOADS_DAYS: integerVariableSchema({ min: 1, max: 36_500 }).default(35).meta({
    description:
      'Days after which uploaded files are removed that no message, draft, snippet or scheduled message refers to',
  }),
  SOFT_DEACTIVATION_DAYS: integerVariableSchema({ min: 0, max: 36_500 }).default(14).meta({
    description:
      'Days without a request until a user counts as away. Channel messages that do not concern an absent user store no row for this user. 0 for never, which also stores the missing rows',
  }),
  CLIENT_NAMES: integerVariableSchema({ min: 10 }).default(10_000).meta({
    description: 'Names of client programs that are stored; messages of further programs get the name Unspecified',
  }),
  GIPHY_API_KEY: z.string().default('').meta({
    description: 'Key of the GIPHY API, which clients get to search for pictures; empty to offer none',
  }),
  TENOR_API_KEY: z.string().default('').meta({
    description: 'Key of the Tenor API, which clients get to search for pictures; empty to offer none',
  }),
  NAVIGATION_TOUR_VIDEO_URL: z
    .url({ protocol: /^https?$/ })
    .optional()
    .meta({ description: 'Video that clients offer new users as a tour; none when absent' }),
  ...storageLimitsPerUserVariables,
  ...imageEnvironmentVariables,
  ...requestLimitEnvironmentVariables,
  ...rateLimitEnvironmentVariables,
  ...fileStorageEnvironmentVariables,
  ...videoCallEnvironmentVariables,
});

/**
 * Parsed common environment variables, which every feature module (slice) may use. Each module can also use the
 * variables that it declares.
 */
export type ChatConfig = z.infer<typeof commonChatEnvironmentSchema>;
