import { toSchemaIdentifier } from '@switchboard/queue';

/** Name of the schema that the tables of this package have by default. */
export const defaultSchema = 'webhooks';

/** SQL names of the tables and functions of this package in one schema. */
export interface WebhookTables {
  readonly endpoints: string;
  readonly deliveries: string;
  readonly attempts: string;
  /** Function of an owner and a limit, which returns true if the owner may have one more endpoint. */
  readonly mayAddEndpoint: string;
}

/**
 * Returns the SQL names of the tables and functions in a schema.
 *
 * @throws QueueUsageError for a schema name that is no plain identifier
 */
export function webhookTables(schema: string): WebhookTables {
  const name = toSchemaIdentifier(schema, { subject: 'webhook', defaultSchema });
  return {
    endpoints: `${name}.endpoints`,
    deliveries: `${name}.deliveries`,
    attempts: `${name}.attempts`,
    mayAddEndpoint: `${name}.may_add_endpoint`,
  };
}
