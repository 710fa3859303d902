import { createIsoTimeSql } from '../iso-time-sql.js';
import type { WebhookTableNames } from '../webhook-tables.js';

/** SQL expression that converts the row with alias `p` to an `Endpoint` in JSON. */
const endpointJsonSql = `json_build_object('id', p.id, 'url', p.url, 'description', p.description,
  'eventTypes', p.event_types, 'enabled', p.enabled, 'metadata', p.metadata,
  'formerSecrets', jsonb_array_length(p.former_secrets),
  'createdAt', ${createIsoTimeSql('p.created')}, 'updatedAt', ${createIsoTimeSql('p.updated')})`;

/** SQL statements about endpoints, by name. A statement returns rows with an endpoint in JSON. */
export type WebhookEndpointSqlStatements = Readonly<
  Record<'insert' | 'get' | 'list' | 'update' | 'remove' | 'rotate' | 'removeExpired', string>
>;

/**
 * Returns the SQL statements about the endpoints in the given tables. In statements for one owner, parameter $1 is the
 * owner.
 */
export function createWebhookEndpointSqlStatements({
  endpoints,
  mayAddEndpoint,
}: WebhookTableNames): WebhookEndpointSqlStatements {
  return {
    insert: `
  INSERT INTO ${endpoints} AS p (owner, id, url, receiver, description, event_types, enabled, metadata, secret)
  SELECT $1::text, $2::uuid, $3, $4, $5, $6::text[], $7::boolean, $8::json, $9
   WHERE ${mayAddEndpoint}($1::text, $10::int)
  RETURNING ${endpointJsonSql} AS endpoint`,
    get: `SELECT ${endpointJsonSql} AS endpoint FROM ${endpoints} p WHERE p.owner = $1 AND p.id = $2`,
    list: `
  SELECT ${endpointJsonSql} AS endpoint, p.sequence::float8 AS sequence FROM ${endpoints} p
   WHERE p.owner = $1 AND p.sequence > $2 ORDER BY p.sequence LIMIT $3`,
    update: `
  UPDATE ${endpoints} p
     SET url = coalesce($3, p.url), receiver = coalesce($4, p.receiver), description = coalesce($5, p.description),
         event_types = coalesce($6::text[], p.event_types), enabled = coalesce($7::boolean, p.enabled),
         metadata = coalesce($8::json, p.metadata), updated = now()
   WHERE p.owner = $1 AND p.id = $2 RETURNING ${endpointJsonSql} AS endpoint`,
    remove: `DELETE FROM ${endpoints} p WHERE p.owner = $1 AND p.id = $2 RETURNING ${endpointJsonSql} AS endpoint`,
    // One row, so that concurrent rotations take place one after another. $4 is the time and $5 the end of the replaced
    // secret, both in milliseconds since the epoch; without overlap $5 is null.
    rotate: `
  UPDATE ${endpoints} p
     SET secret = $3, updated = now(),
         former_secrets = CASE WHEN $5::float8 IS NULL THEN '[]' ELSE
           jsonb_build_array(jsonb_build_object('secret', p.secret, 'expires', $5::float8)) || ${createUnexpiredSecretsSql} END,
         former_until = CASE WHEN $5::float8 IS NOT NULL THEN
           greatest(p.former_until, to_timestamp($5::float8 / 1000)) END
   WHERE p.owner = $1 AND p.id = $2 AND ($5::float8 IS NULL OR jsonb_array_length(${createUnexpiredSecretsSql}) < $6::int)
  RETURNING ${endpointJsonSql} AS endpoint`,
    removeExpired: `
  UPDATE ${endpoints} p SET former_secrets = '[]', former_until = NULL
   WHERE p.former_until <= to_timestamp($1::float8 / 1000) RETURNING p.id`,
  };
}

/** SQL expression of the earlier secrets of endpoint `p` that have not expired at the time in parameter $4. */
const createUnexpiredSecretsSql = `(SELECT coalesce(jsonb_agg(f.value ORDER BY f.ordinality), '[]')
  FROM jsonb_array_elements(p.former_secrets) WITH ORDINALITY f WHERE (f.value ->> 'expires')::float8 > $4::float8)`;
