import type { QueueTx } from '@switchboard/queue';
import { createInsertAttemptParameters, type DeliveryAttemptRecord } from './attempt-record.js';
import type { WebhookDeliveryNeedingJob, OverdueDelivery } from './delivery-queue.js';
import { createWebhookDeliverySql, type WebhookDeliverySql } from './delivery-sql.js';
import type { ClaimedDelivery, DeliveryTables } from './endpoint-source.js';

// Milliseconds by which a delivery may be claimed early, because a worker's clock may be ahead of the database's.
const deliveryDueTimeToleranceMs = 1_000;

/** Identity of a claimed attempt: the delivery id and the number of the attempt. */
type ClaimedAttemptIdentity = Pick<ClaimedDelivery<unknown>, 'id' | 'attempt'>;

/** Position of an overdue delivery in the index of due deliveries, from which a search continues. */
export interface OverdueDeliveryPosition {
  /** 0 for a delivery that is due, 1 for a delivery that waited for its next attempt or for its receiver. */
  readonly waits: 0 | 1;
  /** Due time of the delivery in the text format of PostgreSQL, with microseconds. */
  readonly dueAt: string;
  readonly sequence: number | string;
}

/** Position before all overdue deliveries, at which a search for overdue deliveries begins. */
export const firstOverdueDeliveryPosition: OverdueDeliveryPosition = { waits: 0, dueAt: '-infinity', sequence: 0 };

/** Reads and changes the rows of webhook deliveries. A method sends one SQL statement. */
export class DeliveryStore<Target> {
  readonly sql: WebhookDeliverySql;

  constructor(readonly tables: DeliveryTables) {
    this.sql = createWebhookDeliverySql(tables);
  }

  /**
   * Claims a delivery for one attempt. Returns null if the delivery is finished, not due, claimed by another process,
   * or waiting for an earlier delivery with the same order key. If this process dies, the delivery is overdue after
   * `leaseMs` milliseconds, and is sent again with the same id.
   */
  async claim(tx: QueueTx, id: string, leaseMs: number): Promise<ClaimedDelivery<Target> | null> {
    const { rows } = await tx.query<ClaimedDelivery<Target>>(this.sql.statements.claim, [
      id,
      leaseMs,
      deliveryDueTimeToleranceMs,
    ]);
    return rows[0] ?? null;
  }

  /**
   * Returns a list with the delivery if the delivery is due later, so that the caller can add its job again. Either the
   * job ran too early, or another process claimed the delivery and may have died. Returns an empty list for any other
   * delivery.
   */
  findClaimedOrLaterDelivery(tx: QueueTx, id: string): Promise<WebhookDeliveryNeedingJob[]> {
    return this.#runReturningDueDeliveries(tx, this.sql.statements.findLater, [id]);
  }

  /** Returns the queued ones of the given deliveries, with due times, in the order of creation. */
  listQueuedDeliveries(tx: QueueTx, ids: readonly string[]): Promise<WebhookDeliveryNeedingJob[]> {
    return this.#runReturningDueDeliveries(tx, this.sql.statements.listDue, [ids]);
  }

  /**
   * Returns the ids of those of the given deliveries that do not wait for an earlier delivery. The caller must call the
   * method after the commit that created the deliveries. The remaining deliveries are later made due by
   * {@link makeNextDeliveryDue}, and need no job before.
   */
  async listWithoutEarlierDelivery(tx: QueueTx, ids: readonly string[]): Promise<ReadonlySet<string>> {
    const { rows } = await tx.query<{ id: string }>(this.sql.statements.listUnblocked, [ids]);
    return new Set(rows.map(({ id }) => id));
  }

  /**
   * Records the final attempt of a delivery and sets the status of the delivery. Returns false and changes nothing if a
   * later attempt was claimed.
   */
  async finish(
    tx: QueueTx,
    delivery: ClaimedAttemptIdentity,
    status: 'succeeded' | 'failed',
    record: DeliveryAttemptRecord,
  ): Promise<boolean> {
    const { rows } = await tx.query(this.sql.statements.finish, [...createAttemptParameters(delivery, record), status]);
    return rows.length > 0;
  }

  /**
   * Records a failed attempt of a delivery and schedules the next attempt. Returns the delivery with its new due time,
   * or an empty list if a later attempt was claimed.
   */
  scheduleNextAttempt(
    tx: QueueTx,
    delivery: ClaimedAttemptIdentity,
    delayMs: number,
    record: DeliveryAttemptRecord,
  ): Promise<WebhookDeliveryNeedingJob[]> {
    return this.#runReturningDueDeliveries(tx, this.sql.statements.postpone, [
      ...createAttemptParameters(delivery, record),
      delayMs,
    ]);
  }

  /**
   * Defers a delivery whose receiver is suspended, without counting an attempt. Returns a list with the delivery and
   * its due time. The list is empty if the delivery cannot be claimed or its endpoint was deleted.
   */
  deferForSuspendedReceiver(tx: QueueTx, id: string, delayMs: number): Promise<WebhookDeliveryNeedingJob[]> {
    return this.#runReturningDueDeliveries(tx, this.sql.statements.defer, [id, delayMs, deliveryDueTimeToleranceMs]);
  }

  /** Releases a delivery whose attempt was aborted because the process stops. The attempt is not counted. */
  async releaseAbortedAttempt(tx: QueueTx, { id, attempt }: ClaimedAttemptIdentity): Promise<void> {
    await tx.query(this.sql.statements.release, [id, attempt]);
  }

  /**
   * Makes the delivery that waited for a finished delivery due now, and returns a list with that delivery. Returns an
   * empty list if no delivery waited. The caller must call the method after the commit of the finished delivery's
   * outcome.
   */
  makeNextDeliveryDue(tx: QueueTx, finishedId: string): Promise<WebhookDeliveryNeedingJob[]> {
    return this.#runReturningDueDeliveries(tx, this.sql.statements.wakeNext, [finishedId]);
  }

  /**
   * Lists the unresponsive receivers that have waiting deliveries created before the time `beforeMs`, in milliseconds
   * since 1970.
   */
  async listWaitingReceivers(tx: QueueTx, beforeMs: number): Promise<string[]> {
    const { rows } = await tx.query<{ receiver: string | null }>(this.sql.statements.listWaitingReceivers, [beforeMs]);
    return rows.flatMap(({ receiver }) => (receiver === null ? [] : [receiver]));
  }

  /** Makes all deliveries that wait for an unresponsive receiver due now, and returns these deliveries. */
  makeReceiverDeliveriesDue(tx: QueueTx, receiver: string): Promise<WebhookDeliveryNeedingJob[]> {
    return this.#runReturningDueDeliveries(tx, this.sql.statements.wakeReceiver, [receiver]);
  }

  /**
   * Makes a failed or waiting delivery due now. A failed delivery gets all attempts of the retry policy again; a
   * waiting delivery has its remaining attempts. Does nothing for a delivery that is unknown, successful, being sent,
   * or waiting for an earlier delivery.
   */
  requeue(tx: QueueTx, id: string): Promise<WebhookDeliveryNeedingJob[]> {
    return this.#runReturningDueDeliveries(tx, this.sql.statements.requeue, [id]);
  }

  /**
   * Reads up to `limit` deliveries that have been overdue for `overdueMs`, in the order of their due times. Returns
   * only deliveries that wait for no earlier delivery. A pass begins at `firstOverdueDeliveryPosition`, and continues
   * at `next` until that is null.
   */
  async listOverdue(
    tx: QueueTx,
    { overdueMs, after, limit }: { overdueMs: number; after: OverdueDeliveryPosition; limit: number },
  ): Promise<{ deliveries: OverdueDelivery[]; next: OverdueDeliveryPosition | null }> {
    const { rows } = await tx.query<OverdueDelivery & OverdueDeliveryPosition & { readonly isBlocked: boolean }>(
      this.sql.statements.listOverdue,
      [overdueMs, after.waits, after.dueAt, after.sequence, limit],
    );
    const last = rows.length < limit ? undefined : rows.at(-1);
    return {
      deliveries: rows.filter(({ isBlocked }) => !isBlocked),
      next: last ?? (after.waits === 0 ? { ...firstOverdueDeliveryPosition, waits: 1 } : null),
    };
  }

  /**
   * Makes overdue deliveries due now. All processes together renew a delivery at most once per `overdueMs`
   * milliseconds. Returns the renewed deliveries.
   */
  renewOverdueDeliveries(tx: QueueTx, ids: readonly string[], overdueMs: number): Promise<WebhookDeliveryNeedingJob[]> {
    return this.#runReturningDueDeliveries(tx, this.sql.statements.renew, [ids, overdueMs]);
  }

  async #runReturningDueDeliveries(
    tx: QueueTx,
    statement: string,
    values: unknown[],
  ): Promise<WebhookDeliveryNeedingJob[]> {
    return (await tx.query<WebhookDeliveryNeedingJob>(statement, values)).rows;
  }
}

function createAttemptParameters({ id, attempt }: ClaimedAttemptIdentity, record: DeliveryAttemptRecord): unknown[] {
  return [id, attempt, ...createInsertAttemptParameters(record)];
}
