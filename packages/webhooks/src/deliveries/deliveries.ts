import type { QueueTx, TransactionHandle } from '@switchboard/queue';
import type { DeliveryRequeueCondition, RequeueResult } from '../engine/requeue-deliveries.js';
import { isUuid } from '../endpoints/endpoints.js';
import { createIsoTimeSql } from '../iso-time-sql.js';
import { parseWebhookInput } from '../parse-webhook-input.js';
import type { WebhookTableNames } from '../webhook-tables.js';
import { webhookErrors } from '../webhook-errors.js';
import { createDeliverySelectionSql } from './delivery-selection.js';
import {
  deliveryAttemptQuerySchema,
  deliveryFilterSchema,
  deliveryQuerySchema,
  type DeliveryAttemptQuery,
  type Delivery,
  type DeliveryDetail,
  type DeliveryFilter,
  type DeliveryPage,
  type DeliveryQuery,
} from './delivery-schemas.js';

/** Maximum number of webhook deliveries that one call requeues. The limit bounds the duration of the row locks. */
export const maxRequeuedDeliveries = 10_000;

export interface DeliveryLogDependencies {
  readonly tables: WebhookTableNames;
  readonly requeueMatchingDeliveries: (
    tx: TransactionHandle,
    condition: DeliveryRequeueCondition,
  ) => Promise<RequeueResult>;
}

/** SQL expression that converts the row with alias `d` to a `Delivery` in JSON. */
const deliveryJsonSql = `json_build_object('id', d.id, 'sequence', d.sequence, 'endpointId', d.endpoint_id,
  'type', d.event, 'key', d.order_key, 'status', d.status, 'attempts', d.attempts, 'waitingFor', d.waiting_for,
  'nextAttemptAt', ${createIsoTimeSql('d.next_attempt_at')}, 'responseStatus', d.response_status, 'error', d.error,
  'createdAt', ${createIsoTimeSql('d.created')}, 'finishedAt', ${createIsoTimeSql('d.finished')})`;

const deliveryAttemptJsonSql = `json_build_object('number', a.number, 'startedAt', ${createIsoTimeSql('a.started')},
  'durationMs', a.duration_ms, 'requestUrl', a.request_url, 'requestHeaders', a.request_headers,
  'responseStatus', a.response_status, 'responseHeaders', a.response_headers, 'responseBody', a.response_body,
  'error', a.error)`;

/**
 * Log of webhook deliveries in the package's own tables. Every method concerns the deliveries of one owner; services
 * without tenants pass `''`.
 */
export class Deliveries {
  constructor(private readonly environment: DeliveryLogDependencies) {}

  /** Lists the webhook deliveries of an owner, newest first. */
  async list(tx: QueueTx, owner: string, query: DeliveryQuery = {}): Promise<DeliveryPage> {
    const { limit, ...filter } = parseWebhookInput(deliveryQuerySchema, query);
    const { where, order, values } = createDeliverySelectionSql(this.environment.tables.deliveries, owner, filter);
    const { rows } = await tx.query<{ delivery: Delivery }>(
      `SELECT ${deliveryJsonSql} AS delivery FROM ${this.environment.tables.deliveries} d
        WHERE ${where} ORDER BY ${order.map((column) => `${column} DESC`).join(', ')}
        LIMIT (SELECT $${values.length + 1}::int)`,
      [...values, limit + 1],
    );
    const deliveries = rows.slice(0, limit).map(({ delivery }) => delivery);
    return { deliveries, next: rows.length > limit ? (deliveries.at(-1)?.sequence ?? null) : null };
  }

  /**
   * Returns a webhook delivery with its body and a page of its attempts, by default the newest attempts.
   *
   * @throws ApplicationError `WEBHOOK_DELIVERY_NOT_FOUND`
   */
  async get(tx: QueueTx, owner: string, id: string, query: DeliveryAttemptQuery = {}): Promise<DeliveryDetail> {
    const { deliveries, attempts } = this.environment.tables;
    const { attemptsBefore = null, attemptsLimit } = parseWebhookInput(deliveryAttemptQuerySchema, query);
    if (!isUuid(id)) throw webhookErrors.create('WEBHOOK_DELIVERY_NOT_FOUND');
    const { rows } = await tx.query<{ delivery: Delivery; body: string; log: DeliveryDetail['attemptLog'] }>(
      `SELECT ${deliveryJsonSql} AS delivery, d.payload AS body,
              (SELECT coalesce(json_agg(${deliveryAttemptJsonSql} ORDER BY a.number), '[]') FROM (
                 SELECT a.* FROM ${attempts} a
                  WHERE a.delivery_sequence = d.sequence AND a.number < coalesce($3::int, 2147483647)
                  ORDER BY a.delivery_sequence DESC, a.number DESC LIMIT $4) a) AS log
         FROM ${deliveries} d WHERE d.id = $2 AND (d.owner = $1)::int <> 0`,
      [owner, id, attemptsBefore, attemptsLimit + 1],
    );
    const [row] = rows;
    if (row === undefined) throw webhookErrors.create('WEBHOOK_DELIVERY_NOT_FOUND');
    const attemptLog = row.log.slice(-attemptsLimit);
    const attemptsNext = row.log.length > attemptsLimit ? (attemptLog[0]?.number ?? null) : null;
    return { ...row.delivery, body: row.body, attemptLog, attemptsNext };
  }

  /**
   * Makes a failed or waiting webhook delivery due now. A failed delivery gets all attempts of the retry policy again;
   * a waiting delivery has its remaining attempts. The delivery's id is unchanged. Later deliveries with the same order
   * key may have been sent already.
   *
   * @throws ApplicationError `WEBHOOK_DELIVERY_NOT_FOUND` or `WEBHOOK_DELIVERY_NOT_REQUEUED`
   */
  async requeue(tx: TransactionHandle, owner: string, id: string): Promise<void> {
    if (!isUuid(id)) throw webhookErrors.create('WEBHOOK_DELIVERY_NOT_FOUND');
    // The condition on the owner matches no index, so that the delivery is read by its id.
    const where = 'd.id = $2::uuid AND (d.owner = $1)::int <> 0';
    const condition = { where, waiting: true, isSelective: true, values: [owner, id] };
    const { requeued } = await this.environment.requeueMatchingDeliveries(tx, condition);
    if (requeued > 0) return;
    await this.get(tx, owner, id);
    throw webhookErrors.create('WEBHOOK_DELIVERY_NOT_REQUEUED');
  }

  /**
   * Requeues the failed deliveries that match a filter, oldest first, at most {@link maxRequeuedDeliveries}. The caller
   * must repeat the call while the result is this number. Skips deliveries that another transaction has locked, for
   * example a concurrent call.
   */
  async requeueAll(tx: TransactionHandle, owner: string, input: DeliveryFilter = {}): Promise<number> {
    const { deliveries } = this.environment.tables;
    const filter = parseWebhookInput(deliveryFilterSchema, input);
    const { where, order, values } = createDeliverySelectionSql(deliveries, owner, { ...filter, status: 'failed' });
    const { requeued } = await this.environment.requeueMatchingDeliveries(tx, {
      where: `d.ctid = ANY (ARRAY(SELECT d.ctid FROM ${deliveries} d
        WHERE ${where} ORDER BY ${order.join(', ')} LIMIT (SELECT $${values.length + 1}::int) FOR UPDATE SKIP LOCKED))`,
      isSelective: true,
      values: [...values, maxRequeuedDeliveries],
    });
    return requeued;
  }
}
