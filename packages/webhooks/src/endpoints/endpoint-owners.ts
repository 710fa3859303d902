import type { QueueTx } from '@switchboard/queue';
import { defaultWebhookSchemaName, createWebhookTableNames } from '../webhook-tables.js';

/** Option that selects the schema of the webhook tables. */
interface WebhookDatabaseSchemaOption {
  /** PostgreSQL schema with the tables of this package. Default `webhooks`. */
  readonly schema?: string;
}

/** Owner, event types and metadata of an enabled webhook endpoint. */
export interface Subscription {
  readonly owner: string;
  readonly eventTypes: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Lists the enabled webhook endpoints of all owners, for services that emit events only if an endpoint exists.
 *
 * @throws QueueUsageError for a schema name that is not a plain identifier
 */
export async function listSubscriptions(
  tx: QueueTx,
  { schema = defaultWebhookSchemaName }: WebhookDatabaseSchemaOption = {},
): Promise<Subscription[]> {
  const { rows } = await tx.query<{ subscription: Subscription }>(
    `SELECT json_build_object('owner', p.owner, 'eventTypes', p.event_types, 'metadata', p.metadata) AS subscription
       FROM ${createWebhookTableNames(schema).endpoints} p WHERE p.enabled ORDER BY p.sequence`,
  );
  return rows.map(({ subscription }) => subscription);
}

/** Condition that selects the endpoints of an owner whose metadata contains one of the given values in a field. */
export interface EndpointMetadataCondition extends WebhookDatabaseSchemaOption {
  readonly owner: string;
  /** Name of the metadata field that the condition checks. */
  readonly field: string;
  /** Accepted values of the metadata field, as text. */
  readonly values: readonly string[];
}

/**
 * Disables the webhook endpoints whose metadata field has a given value, for example the user who created the endpoint.
 * Returns the number of disabled endpoints.
 *
 * @throws QueueUsageError for a schema name that is not a plain identifier
 */
export async function disableEndpoints(
  tx: QueueTx,
  { owner, field, values, schema = defaultWebhookSchemaName }: EndpointMetadataCondition,
): Promise<number> {
  const { endpoints } = createWebhookTableNames(schema);
  // PostgreSQL cannot search JSON that contains U+0000 or half of a surrogate pair anywhere.
  const enabled = await tx.query<{ endpoint: { id: string; metadata: Record<string, unknown> } }>(
    `SELECT json_build_object('id', p.id, 'metadata', p.metadata) AS endpoint
       FROM ${endpoints} p WHERE p.owner = $1 AND p.enabled`,
    [owner],
  );
  const ids = enabled.rows.flatMap(({ endpoint: { id, metadata } }) =>
    values.includes(toMetadataText(metadata[field])) ? [id] : [],
  );
  if (ids.length === 0) return 0;
  const { rows } = await tx.query(
    `UPDATE ${endpoints} SET enabled = false, updated = now() WHERE id = ANY ($1::uuid[]) AND enabled RETURNING id`,
    [ids],
  );
  return rows.length;
}

const toMetadataText = (value: unknown): string => (typeof value === 'string' ? value : (JSON.stringify(value) ?? ''));

/**
 * Deletes the webhook endpoints of an owner. Also deletes up to `limit` of the owner's deliveries with their attempts,
 * oldest first. Returns the number of deleted endpoints and deliveries. The caller must repeat the call until the
 * result is 0.
 *
 * @throws QueueUsageError for a schema name that is not a plain identifier
 */
export async function removeEndpointsOfOwner(
  tx: QueueTx,
  {
    owner,
    limit,
    schema = defaultWebhookSchemaName,
  }: WebhookDatabaseSchemaOption & { readonly owner: string; readonly limit: number },
): Promise<number> {
  const { endpoints, deliveries } = createWebhookTableNames(schema);
  const { rows } = await tx.query<{ removed: number }>(
    `WITH e AS (DELETE FROM ${endpoints} WHERE owner = $1 RETURNING 1),
          d AS (DELETE FROM ${deliveries} WHERE ctid = ANY (ARRAY(
            SELECT ctid FROM ${deliveries} WHERE (owner, sequence) > ($1, 0) AND (owner, sequence) < ($1, 9223372036854775807)
             ORDER BY owner, sequence LIMIT (SELECT $2::int) FOR UPDATE)) RETURNING 1)
     SELECT ((SELECT count(*) FROM e) + (SELECT count(*) FROM d))::float8 AS removed`,
    [owner, limit],
  );
  return rows[0]?.removed ?? 0;
}
