import { integerVariableSchema, parseEnvironmentValues, platformEnvironmentSchema } from '@switchboard/platform';
import { z } from 'zod';

const environment = platformEnvironmentSchema.extend({
  PORT: integerVariableSchema({ min: 0, max: 65_535 }),
  DATABASE_URL: z.url().meta({ secret: true }),
  REDIS_URL: z.url().meta({ secret: true }),
  REDIS_KEY_PREFIX: z.string().min(1),
  /** URL to which receipts are sent. */
  RECEIPTS_URL: z.url(),
  /** Token of the only customer. */
  CUSTOMER_TOKEN: z.string().min(1).meta({ secret: true }),
});

export const config = parseEnvironmentValues(environment, process.env);
