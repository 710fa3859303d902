import {
  booleanVariableSchema,
  integerVariableSchema,
  listVariableSchema,
  parseEnvironment,
  createS3EnvironmentVariables,
  createServiceEnvironmentSchema,
  requireCurrentPepper,
} from '@switchboard/platform';
import { redisUrlSchema } from '@switchboard/queue';
import { z } from 'zod';
import { dataSourceEnvironmentVariables } from './data-sources/index.js';
import { requestSizeLimitVariables } from './engine/request-limits.js';
import { responseSizeEnvironmentVariables } from './engine/responses/response-settings.js';
import { webhookEnvironmentVariables } from './webhooks/webhook-settings.js';

/**
 * Schema of the maximum page size setting. The values 0, `None` and '' mean that the page size is not limited
 * (docs/contract/inventory.md 1.7).
 */
const maxPageSizeSchema = z
  .string()
  .regex(/^(\d+|None|)$/, 'must be a whole number or None')
  .transform((value) => (value === 'None' || Number(value) === 0 ? null : Number(value)));

export const inventoryEnvironmentVariables = createServiceEnvironmentSchema({
  name: 'inventory',
  port: 8000,
  redisUrl: redisUrlSchema,
  sealed: 'webhook secrets, pre-shared keys and secret parameters of data sources',
  digested: 'token',
}).extend({
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
    .meta({ description: 'Receiver of the demo webhook in development mode' }),
  DEMO_WEBHOOK_SECRET: z
    .string()
    .min(1)
    .max(255)
    .default('switchboard-demo')
    .meta({ description: 'Secret with which the demo webhook of development mode signs' }),
  PAGINATE_COUNT: integerVariableSchema({ min: 1 })
    .default(50)
    .meta({ description: 'Objects of a page without `limit` in the request' }),
  MAX_PAGE_SIZE: maxPageSizeSchema.prefault('1000').meta({
    description: 'Most objects of a page; 0, None or nothing lets limit=0 return everything',
    emptyIsGiven: true,
  }),
  RESPONSE_MEMORY_BYTES: integerVariableSchema({ min: 0 }).default(67_108_864).meta({
    description:
      'Memory of one process for responses to GET of lists and objects, in bytes; 0 stores none, which is necessary for a database fed by logical replication',
  }),
  STRICT_FILTERS: booleanVariableSchema()
    .default(false)
    .meta({ description: 'Whether lists reject unknown filters, as the request header X-Strict-Filters: true does' }),
  MEDIA_ROOT: z
    .string()
    .default('.data/inventory-media')
    .meta({ description: 'Folder of pictures of objects; all processes need the same one' }),
  ...createS3EnvironmentVariables({ files: 'pictures of objects', folderVariable: 'MEDIA_ROOT' }),
  MEDIA_MAX_BYTES: integerVariableSchema({ min: 1 })
    .default(10_485_760)
    .meta({ description: 'Largest request body with files, in bytes; a larger one gets 413' }),
  TEMPLATE_TIMEOUT_MS: integerVariableSchema({ min: 1, max: 10_000 })
    .default(100)
    .meta({ description: 'Maximum processor time to render one template, in milliseconds' }),
  LOGIN_TIMEOUT: integerVariableSchema({ min: 60 })
    .default(1_209_600)
    .meta({ description: 'Lifetime of a browser login, in seconds' }),
  LOGIN_FAILURE_WINDOW_SECONDS: integerVariableSchema({ min: 1, max: 86_400 })
    .default(900)
    .meta({ description: 'Period in which failed logins are counted, in seconds' }),
  LOGIN_FAILURES_PER_ACCOUNT: integerVariableSchema({ min: 1 })
    .default(10)
    .meta({ description: 'Failed logins to one account within the period, past which logins are refused with 429' }),
  LOGIN_FAILURES_PER_ADDRESS: integerVariableSchema({ min: 1 }).default(50).meta({
    description:
      'Failed logins from one address (IPv6: from one /64 network) within the period, past which logins are refused with 429',
  }),
  LOGIN_REQUIRED: booleanVariableSchema().default(true).meta({ description: 'Whether reads need a token' }),
  ALLOWED_HOSTS: listVariableSchema().prefault('*').meta({
    description:
      'Hosts, separated by commas, that requests may be sent to: * for any, .example.com for a domain and all below it; any other host gets 400',
  }),
  EXEMPT_VIEW_PERMISSIONS: listVariableSchema()
    .prefault('')
    .meta({ description: 'Models (app.model) that anyone may view where no login is required; * for nearly all' }),
  CHANGELOG_RETENTION: integerVariableSchema({ min: 0 })
    .default(90)
    .meta({ description: 'Days until change records are removed; 0 retains them for ever' }),
  CHANGELOG_RETAIN_CREATE_LAST_UPDATE: booleanVariableSchema()
    .default(true)
    .meta({ description: 'Whether retention spares the creation and the last change of objects that still exist' }),
  ...requestSizeLimitVariables.shape,
  ...responseSizeEnvironmentVariables.shape,
  ...webhookEnvironmentVariables.shape,
  ...dataSourceEnvironmentVariables.shape,
});

/** Parsed configuration of the inventory service. */
export type InventoryConfig = z.infer<typeof inventoryEnvironmentVariables> & {
  /**
   * Values of the environment variables named in JINJA_ENVIRONMENT_PARAMS, without unset variables. Jinja templates can
   * read these values.
   */
  readonly templateVariables?: Readonly<Record<string, string>>;
};

/** Environment variables of the current process. Programs that the process starts inherit some of the variables. */
export const currentProcessEnvironment: Readonly<Record<string, string | undefined>> = process.env;

/**
 * Parses the configuration from environment variables and from the files that the variables name.
 *
 * @throws ConfigError that names all invalid variables, and in production all missing secrets
 */
export function readConfig(env: Record<string, string | undefined> = process.env): InventoryConfig {
  const { config, listedVariables } = parseEnvironment(inventoryEnvironmentVariables, env);
  return { ...requireCurrentPepper(config), templateVariables: listedVariables };
}
