import { envInteger, parseEnv, platformEnv } from '@switchboard/platform';
import { z } from 'zod';

/** Secrets of development and tests. They are public, so production refuses to start with them. */
const developmentKeys = `dev:${Buffer.alloc(32, 'development').toString('base64')}`;
const developmentPeppers = '1:development-pepper-that-everybody-knows';

/** `id:value` pairs separated by commas. */
const pairs = z
  .string()
  .regex(/^[^:,]+:[^,]+(,[^:,]+:[^,]+)*$/, 'must read id:value,id:value')
  .transform((text) =>
    text.split(',').map((pair): readonly [string, string] => {
      const colon = pair.indexOf(':');
      return [pair.slice(0, colon).trim(), pair.slice(colon + 1).trim()];
    }),
  );

/** The environment that the chat service reads. */
export const chatEnv = platformEnv.extend({
  PORT: envInteger({ min: 0, max: 65_535 }).default(9991).meta({ description: 'Port to listen on' }),
  DATABASE_URL: z
    .string()
    .default('postgres://postgres@127.0.0.1:5432/chat')
    .meta({ description: 'PostgreSQL database of the chat service', secret: true }),
  DATABASE_POOL_SIZE: envInteger({ min: 2 }).default(10).meta({ description: 'Most connections to PostgreSQL' }),
  REDIS_URL: z.string().default('redis://127.0.0.1:6379').meta({ description: 'Redis', secret: true }),
  REDIS_KEY_PREFIX: z
    .string()
    .default('chat')
    .meta({ description: 'What every Redis key of this service begins with' }),
  SECRET_ENCRYPTION_KEYS: pairs.prefault(developmentKeys).meta({
    description: 'Keys that seal API keys, as id:base64 of 32 bytes; the first seals, all open',
    secret: true,
    requiredInProduction: true,
  }),
  SECRET_PEPPERS: pairs.prefault(developmentPeppers).meta({
    description: 'Peppers of API key digests, as number:text of 32 characters or more; the highest number signs',
    secret: true,
    requiredInProduction: true,
  }),
  DEMO_EMAIL_DOMAIN: z
    .string()
    .default('example.com')
    .meta({ description: 'Domain of the demo accounts that development mode creates' }),
  DEMO_BOT_DOMAIN: z
    .string()
    .optional()
    .meta({ description: 'Domain of the demo bots; that of the demo accounts when absent' }),
  EVENT_QUEUE_IDLE_SECONDS: envInteger({ min: 1, max: 604_800 })
    .default(600)
    .meta({ description: 'How long an event queue lives that nobody polls' }),
  EVENT_QUEUE_MOBILE_IDLE_SECONDS: envInteger({ min: 1, max: 604_800 })
    .default(43_200)
    .meta({ description: 'The same for queues registered as mobile' }),
  EVENT_HEARTBEAT_MS: envInteger({ min: 100, max: 60_000 })
    .default(50_000)
    .meta({ description: 'How long a poll waits before it is answered with a heartbeat' }),
});

/** The parsed environment of the chat service. */
export type ChatConfig = z.infer<typeof chatEnv>;

/**
 * Reads the environment once.
 *
 * @throws ConfigError naming every bad variable, and in production every secret that is missing.
 */
export function readConfig(env: Record<string, string | undefined> = process.env): ChatConfig {
  return parseEnv(chatEnv, env);
}
