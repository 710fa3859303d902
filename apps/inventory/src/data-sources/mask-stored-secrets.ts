import type { Database, Tx } from '@switchboard/database';
import { inventoryChangeOutboxMessageType } from '../changes/inventory-change-message.js';
import { maskedSecret } from '../engine/sealed/encrypted-text-sql.js';
import {
  createClearSecretCondition,
  createMaskedParametersSql,
  secretDataSourceParameterNames,
} from '../models/core/source-parameters.js';
import { maskEventPayload } from './mask-event-payload.js';

/** Numbers of rows in which secrets were replaced by asterisks, by kind of row. */
export interface MaskedRowCounts {
  readonly records: number;
  readonly messages: number;
  readonly deliveries: number;
}

const maskedRowsPerBatch = 200;

const dataSourceTypeName = 'core.datasource';

/**
 * SQL condition that the column `payload` names a secret parameter. The condition is cheaper to evaluate than parsing
 * the JSON.
 */
const payloadNamesSecretParameterCondition = `(${secretDataSourceParameterNames.map((name) => `payload::text LIKE '%"${name}"%'`).join(' OR ')})`;

const changeRecordSnapshotColumns = ['prechange_data', 'postchange_data'] as const;

const maskChangeRecordSecretsSql = `UPDATE core_objectchange SET ${changeRecordSnapshotColumns
  .map((column) => {
    const parameters = `(${column} -> 'parameters')`;
    return `${column} = CASE WHEN ${createClearSecretCondition(parameters)}
      THEN jsonb_set(${column}, '{parameters}', ${createMaskedParametersSql(parameters)}) ELSE ${column} END`;
  })
  .join(', ')} WHERE id IN (SELECT id FROM core_objectchange WHERE changed_object_type = '${dataSourceTypeName}'
    AND (${changeRecordSnapshotColumns.map((column) => createClearSecretCondition(`(${column} -> 'parameters')`)).join(' OR ')})
    LIMIT ${maskedRowsPerBatch} FOR NO KEY UPDATE SKIP LOCKED)`;

const selectSourceMessageIdsSql = `SELECT id FROM queue.outbox WHERE topic = $1 AND key LIKE '${dataSourceTypeName}:%' ORDER BY id`;

const lockDataSourceMessagesSql = `SELECT id, payload::text AS payload FROM queue.outbox
  WHERE id = ANY ($1::bigint[]) AND ${payloadNamesSecretParameterCondition} ORDER BY id FOR UPDATE SKIP LOCKED`;

const selectSourceDeliveryIdsSql = `SELECT sequence AS id FROM webhook_deliveries WHERE object_type = '${dataSourceTypeName}' ORDER BY 1`;

// A delivery that is being sent is left to the next run, because its attempt has not been stored.
const lockDataSourceDeliveriesSql = `SELECT sequence AS id, payload::text AS payload FROM webhook_deliveries
  WHERE sequence = ANY ($1::bigint[]) AND ${payloadNamesSecretParameterCondition}
    AND (status <> 'queued' OR waiting_for IS NOT NULL OR next_attempt_at <= statement_timestamp())
  ORDER BY sequence FOR NO KEY UPDATE SKIP LOCKED`;

/** Returns the SQL condition that a text contains a secret from the list in the SQL parameter $2. */
const createContainsSecretCondition = (text: string): string =>
  `EXISTS (SELECT FROM unnest($2::text[]) s WHERE strpos(${text}, s) > 0)`;

// Templates can write secrets in any form to a body, and a receiver can send it back.
const maskDeliveryAttemptSecretsSql = `UPDATE webhook_delivery_attempts SET
    request_body = CASE WHEN request_body IS NOT NULL THEN '${maskedSecret}' END,
    response_body = CASE WHEN response_body IS NOT NULL THEN '${maskedSecret}' END,
    response_headers = CASE WHEN ${createContainsSecretCondition('response_headers::text')} THEN '{}' ELSE response_headers END,
    request_url = CASE WHEN ${createContainsSecretCondition('request_url')} THEN '${maskedSecret}' ELSE request_url END,
    error = CASE WHEN ${createContainsSecretCondition('error')} THEN '${maskedSecret}' ELSE error END
  WHERE delivery_sequence = $1`;

const maskDeliverySecretsSql = `UPDATE webhook_deliveries SET payload = $3::json,
    error = CASE WHEN ${createContainsSecretCondition('error')} THEN '${maskedSecret}' ELSE error END WHERE sequence = $1`;

/** Row of a stored event: id, and event payload as JSON text. */
interface StoredEventPayloadRow {
  readonly id: string | number;
  readonly payload: string;
}

/**
 * Replaces secret parameters of data sources by asterisks in change records, outbox rows, webhook deliveries and
 * delivery attempts. Processes of an older version stored these parameters in clear. Works in short batches that skip
 * locked rows. Safe in concurrent processes and after an interruption.
 *
 * @param signal ends the work after the current batch
 */
export async function maskStoredSecrets(
  database: Pick<Database, 'query' | 'inTransaction'>,
  signal: AbortSignal,
): Promise<MaskedRowCounts> {
  let records = 0;
  for (let count = maskedRowsPerBatch; count === maskedRowsPerBatch && !signal.aborted; records += count) {
    count = (await database.query(maskChangeRecordSecretsSql)).rowCount;
  }
  const ofMessages = await database.query<{ id: string }>(selectSourceMessageIdsSql, [
    inventoryChangeOutboxMessageType.name,
  ]);
  const messageCount = await maskRowsInBatches(database, { ids: ofMessages.rows, signal }, maskOutboxMessages);
  const ofDeliveries = await database.query<{ id: string }>(selectSourceDeliveryIdsSql);
  const deliveryCount = await maskRowsInBatches(database, { ids: ofDeliveries.rows, signal }, maskSecretsInDeliveries);
  return { records, messages: messageCount, deliveries: deliveryCount };
}

async function maskRowsInBatches(
  database: Pick<Database, 'inTransaction'>,
  { ids, signal }: { readonly ids: readonly { readonly id: string }[]; readonly signal: AbortSignal },
  mask: (tx: Tx, ids: readonly string[]) => Promise<number>,
): Promise<number> {
  let total = 0;
  for (let from = 0; from < ids.length && !signal.aborted; from += maskedRowsPerBatch) {
    const batch = ids.slice(from, from + maskedRowsPerBatch).map(({ id }) => id);
    total += await database.inTransaction((tx) => mask(tx, batch));
  }
  return total;
}

async function maskOutboxMessages(tx: Tx, ids: readonly string[]): Promise<number> {
  const { rows } = await tx.query<StoredEventPayloadRow>(lockDataSourceMessagesSql, [ids]);
  let count = 0;
  for (const { id, payload } of rows) {
    const masked = maskEventPayload(payload);
    if (masked === null) continue;
    await tx.query('UPDATE queue.outbox SET payload = $2::json WHERE id = $1', [id, masked.text]);
    count += 1;
  }
  return count;
}

async function maskSecretsInDeliveries(tx: Tx, ids: readonly string[]): Promise<number> {
  const { rows } = await tx.query<StoredEventPayloadRow>(lockDataSourceDeliveriesSql, [ids]);
  let count = 0;
  for (const { id, payload } of rows) {
    const masked = maskEventPayload(payload);
    if (masked === null) continue;
    const secrets = masked.secrets.flatMap((secret) => [secret, encodeURIComponent(secret.toWellFormed())]);
    await tx.query(maskDeliveryAttemptSecretsSql, [id, secrets]);
    await tx.query(maskDeliverySecretsSql, [id, secrets, masked.text]);
    count += 1;
  }
  return count;
}
