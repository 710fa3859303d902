import { z } from 'zod';
import {
  booleanVariableSchema,
  integerVariableSchema,
  idValuePairsVariableSchema,
} from './environment-variable-schemas.js';
import { platformEnvironmentSchema } from './platform-environment.js';
import { postgresProgramsEnvironmentSchema } from './postgres-programs-environment.js';
import { findWeakSecretReason } from './find-weak-secret-reason.js';

/** Properties of a service from which the schema of its environment variables is created, such as name and port. */
export interface ServiceEnvironmentOptions {
  /**
   * Name of the service, used in sentences such as "the chat service". The name is also the default for the service's
   * database name and Redis key prefix.
   */
  readonly name: string;
  /** Default HTTP port of the service. */
  readonly port: number;
  /** Schema of the variable `REDIS_URL`. The schema rejects an invalid URL with the reason. */
  readonly redisUrl: z.ZodString;
  /** Noun phrase for the values encrypted with `SECRET_ENCRYPTION_KEYS`, used in the documentation of that variable. */
  readonly sealed: string;
  /**
   * Noun phrase, in the singular, for the values digested with `SECRET_PEPPERS`, used in the documentation of that
   * variable.
   */
  readonly digested: string;
}

// Keys for development and tests. They are public, so production refuses to start with them.
const developmentEncryptionKeys = `dev:${Buffer.alloc(32, 'development').toString('base64')}`;
const developmentPeppers = '1:development-pepper-that-everybody-knows-and-is-long-enough';

/**
 * Returns the schema of {@link platformEnvironmentSchema} extended with further environment variables that all services
 * have: port, database, Redis, secrets.
 */
export function createServiceEnvironmentSchema({ name, port, redisUrl, sealed, digested }: ServiceEnvironmentOptions) {
  return platformEnvironmentSchema.extend({
    PORT: integerVariableSchema({ min: 0, max: 65_535 }).default(port).meta({ description: 'Port to listen on' }),
    METRICS_PORT: integerVariableSchema({ min: 0, max: 65_535 })
      .default(port + 1)
      .meta({
        description:
          'Port of `/metrics`, one for each process of a machine; 0 takes any free port, which the log names',
      }),
    DATABASE_URL: z
      .string()
      .default(`postgres://postgres@127.0.0.1:5432/${name}`)
      .meta({ description: `PostgreSQL database of the ${name} service`, secret: true }),
    DATABASE_POOL_SIZE: integerVariableSchema({ min: 2 })
      .default(20)
      .meta({
        description:
          'Most connections to PostgreSQL of one process. Half are for short reads and writes, a fifth for heavy reads, ' +
          'and a tenth each for authentication and for background work. A tenth replaces those whose statements have ' +
          'run for 100 ms, which count as heavy. Below 8 each class may take all',
      }),
    DATABASE_SHORT_WAIT_MS: integerVariableSchema({ min: 1, max: 3_600_000 }).default(5_000).meta({
      description:
        'Longest wait of authentication, or of a short read or write, for a database connection, in milliseconds; after it the request gets 503',
    }),
    DATABASE_HEAVY_WAIT_MS: integerVariableSchema({ min: 1, max: 3_600_000 }).default(30_000).meta({
      description:
        'Longest wait of a heavy read (registration, search, export, deep offset) for a database connection, in milliseconds; after it the request gets 503',
    }),
    BOOT_WAIT_MS: integerVariableSchema({ min: 0, max: 3_600_000 }).default(60_000).meta({
      description:
        'Longest time that a start waits for PostgreSQL and Redis to be reachable, and for the migrations of its release, in milliseconds',
    }),
    MIGRATE_AT_BOOT: booleanVariableSchema().optional().meta({
      description:
        'Whether a process applies pending migrations at the start. Otherwise the process waits for `admin migrate`. When absent: false in production, true elsewhere',
    }),
    MIGRATION_DATABASE_URL: z.string().optional().meta({
      description:
        'Database of DATABASE_URL with another role, or past a pooler, for `admin migrate`, backups and starts that migrate. When absent: DATABASE_URL',
      secret: true,
    }),
    MIGRATION_LOCK_TIMEOUT_MS: integerVariableSchema({ min: 0, max: 3_600_000 }).default(60_000).meta({
      description: 'Longest time that a start waits for another process that migrates the database, in milliseconds',
    }),
    ...postgresProgramsEnvironmentSchema,
    STATEMENT_TIMEOUT_MS: integerVariableSchema({ min: 0, max: 2_147_483_647 }).default(30_000).meta({
      description: 'Time limit for one SQL statement of a request, in milliseconds; 0 is no limit',
    }),
    BACKGROUND_STATEMENT_TIMEOUT_MS: integerVariableSchema({ min: 0, max: 2_147_483_647 }).default(600_000).meta({
      description:
        'Time limit for one SQL statement of background work (retention, sweeps), in milliseconds; 0 is no limit',
    }),
    REDIS_URL: redisUrl.default('redis://127.0.0.1:6379').meta({
      description:
        'Redis: redis://host:6379, redis+sentinel://host,host/name or redis+cluster://host,host; rediss means TLS',
      secret: true,
    }),
    REDIS_KEY_PREFIX: z.string().default(name).meta({ description: 'Prefix of every Redis key of this service' }),
    SECRET_ENCRYPTION_KEYS: idValuePairsVariableSchema()
      .prefault(developmentEncryptionKeys)
      .meta({
        description: `Keys that seal ${sealed}, as id:base64 of 32 bytes; the first seals, all open`,
        secret: true,
        requiredInProduction: true,
        faultInProduction: (value: string) => findWeakSecretReason(value, developmentEncryptionKeys),
      }),
    SECRET_PEPPERS: idValuePairsVariableSchema()
      .prefault(developmentPeppers)
      .meta({
        description: `Peppers of ${digested} digests, as number:text of 32 characters or more; SECRET_PEPPER_CURRENT signs, all verify`,
        secret: true,
        requiredInProduction: true,
        faultInProduction: (value: string) => findWeakSecretReason(value, developmentPeppers),
      }),
    SECRET_PEPPER_CURRENT: integerVariableSchema({ min: 0, max: 999_999_999 }).optional().meta({
      description: 'Number of the pepper of SECRET_PEPPERS that makes new digests. When absent: the highest number',
    }),
  });
}
