import { toSchemaIdentifier } from '@switchboard/queue';

/** Default name of the PostgreSQL schema with the tables of this package. */
export const defaultWebhookSchemaName = 'webhooks';

/** SQL names of the tables and functions of this package, for one schema. */
export interface WebhookTableNames {
  readonly endpoints: string;
  readonly deliveries: string;
  readonly attempts: string;
  /**
   * SQL name of the function that returns true if an owner may have one more endpoint. Its arguments are the owner and
   * the maximum number of endpoints.
   */
  readonly mayAddEndpoint: string;
}

/**
 * Returns the SQL names of this package's tables and functions in a schema.
 *
 * @throws QueueUsageError for a schema name that is not a plain identifier
 */
export function createWebhookTableNames(schema: string): WebhookTableNames {
  const name = toSchemaIdentifier(schema, { subject: 'webhook', defaultSchema: defaultWebhookSchemaName });
  return {
    endpoints: `${name}.endpoints`,
    deliveries: `${name}.deliveries`,
    attempts: `${name}.attempts`,
    mayAddEndpoint: `${name}.may_add_endpoint`,
  };
}
