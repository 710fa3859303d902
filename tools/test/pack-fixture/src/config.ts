import { envInteger, parseEnv, platformEnv } from '@switchboard/platform';
import { z } from 'zod';

const environment = platformEnv.extend({
  PORT: envInteger({ min: 0, max: 65_535 }),
  DATABASE_URL: z.url().meta({ secret: true }),
  REDIS_URL: z.url().meta({ secret: true }),
  REDIS_KEY_PREFIX: z.string().min(1),
  /** Receipts are posted there. */
  RECEIPTS_URL: z.url(),
  /** The one customer's token. */
  CUSTOMER_TOKEN: z.string().min(1).meta({ secret: true }),
});

export const config = parseEnv(environment, process.env);
