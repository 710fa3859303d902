import { envBoolean, envInteger, envList, parseEnv, platformEnv } from '@switchboard/platform';
import { z } from 'zod';
import { webhookEnv } from './webhooks/settings.js';

/** Secrets of development and tests. They are public, so production refuses to start with them. */
const developmentKeys = `dev:${Buffer.alloc(32, 'development').toString('base64')}`;
const developmentPeppers = '1:development-pepper-that-everybody-knows-and-is-long-enough';

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

/** 0, `None` and nothing mean no limit (contract 1.7). */
const pageCap = z
  .string()
  .regex(/^(\d+|None)$/, 'must be a whole number or None')
  .transform((value) => (value === 'None' || Number(value) === 0 ? null : Number(value)));

/** The environment that the inventory service reads. */
export const inventoryEnv = platformEnv.extend({
  PORT: envInteger({ min: 0, max: 65_535 }).default(8000).meta({ description: 'Port to listen on' }),
  DATABASE_URL: z
    .string()
    .default('postgres://postgres@127.0.0.1:5432/inventory')
    .meta({ description: 'PostgreSQL database of the inventory service', secret: true }),
  DATABASE_POOL_SIZE: envInteger({ min: 2 }).default(10).meta({ description: 'Most connections to PostgreSQL' }),
  REDIS_URL: z.string().default('redis://127.0.0.1:6379').meta({ description: 'Redis', secret: true }),
  REDIS_KEY_PREFIX: z
    .string()
    .default('inventory')
    .meta({ description: 'What every Redis key of this service begins with' }),
  SECRET_ENCRYPTION_KEYS: pairs.prefault(developmentKeys).meta({
    description: 'Keys that seal webhook secrets, as id:base64 of 32 bytes; the first seals, all open',
    secret: true,
    requiredInProduction: true,
  }),
  SECRET_PEPPERS: pairs.prefault(developmentPeppers).meta({
    description: 'Peppers of token digests, as number:text of 32 characters or more; the highest number signs',
    secret: true,
    requiredInProduction: true,
  }),
  DEMO_ADMIN_TOKEN: z
    .string()
    .regex(
      /^(nbt_[A-Za-z0-9]{12}\.[\x21-\x7e]{40,128}|[\x21-\x7e]{40,128})$/,
      'must read nbt_<12>.<40> or be 40 characters',
    )
    .optional()
    .meta({
      description: 'Token of the demo superuser that development mode creates; made up when absent',
      secret: true,
    }),
  DEMO_WEBHOOK_URL: z
    .string()
    .default('http://localhost:9000/')
    .meta({ description: 'Where the demo webhook of development mode sends' }),
  PAGINATE_COUNT: envInteger({ min: 1 })
    .default(50)
    .meta({ description: 'Objects of a page when the client asks for no number' }),
  MAX_PAGE_SIZE: pageCap
    .prefault('1000')
    .meta({ description: 'Most objects of a page; 0 or None lets limit=0 return everything' }),
  LOGIN_REQUIRED: envBoolean().default(true).meta({ description: 'Whether reading needs a token' }),
  EXEMPT_VIEW_PERMISSIONS: envList()
    .prefault('')
    .meta({ description: 'Models (app.model) that anyone may view where no login is required; * for nearly all' }),
  ...webhookEnv.shape,
});

/** The parsed environment of the inventory service. */
export type InventoryConfig = z.infer<typeof inventoryEnv>;

/**
 * Reads the environment once.
 *
 * @throws ConfigError naming every bad variable, and in production every secret that it lacks
 */
export function readConfig(env: Record<string, string | undefined> = process.env): InventoryConfig {
  return parseEnv(inventoryEnv, env);
}
