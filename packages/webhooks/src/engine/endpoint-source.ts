import type { OutboundRequest, OutboundResponse } from '@switchboard/outbound';

/**
 * Tables of deliveries and attempts, and the SQL in which they differ from other tables. Both tables have the columns of
 * `sql/001_deliveries.sql` and may have more. Names and expressions become part of statements unchanged.
 */
export interface DeliveryTables {
  /** Name of the table of deliveries, with its schema if needed. */
  readonly deliveries: string;
  /** Name of the table of attempts. */
  readonly attempts: string;
  /**
   * Returns the SQL text expression of the order key of the delivery `alias`, also for a finished delivery. It equals the
   * generated column `lane` of queued deliveries. Null for a delivery without an order.
   */
  readonly laneSql: (alias: string) => string;
  /**
   * Returns the SQL expression of the endpoint of the delivery `alias`, by which deliveries of one endpoint have one
   * receiver. Deliveries whose `waiting_for` is not null have an index on this expression alone.
   */
  readonly endpointSql: (alias: string) => string;
  /**
   * Returns the SQL text expression of the receiver of the delivery `alias`, such as the origin of its URL. Deliveries to
   * one receiver share slots and a circuit breaker. Null for a delivery that is never sent.
   */
  readonly receiverSql: (alias: string) => string;
  /** Returns the SQL expression of a {@link ClaimedDelivery.target}, as JSON; null if the endpoint no longer exists. */
  readonly targetSql: (alias: string) => string;
}

/** A delivery that this process has claimed for one attempt, until its lease ends. */
export interface ClaimedDelivery<Target> {
  /** Id of the delivery, a UUID. All its attempts send it as `webhook-id`. */
  readonly id: string;
  /** Number of this attempt, from 1. Its outcome is recorded only if no later attempt was claimed. */
  readonly attempt: number;
  /**
   * Number of attempts since the delivery was last queued, including this one. After a requeue, the number is less than
   * `attempt`.
   */
  readonly tries: number;
  /** Stored payload of the delivery, as text. */
  readonly payload: string;
  /** Data of the endpoint and of the delivery that the request needs. Null if the endpoint was deleted. */
  readonly target: Target | null;
}

/** HTTP request of an attempt, and its body as text for the record of the attempt. */
export interface BuiltRequest {
  readonly request: OutboundRequest;
  readonly body: string;
}

/** Problem of a response that is not a success. */
export interface ResponseProblem {
  /** Text that is stored with the delivery. */
  readonly error: string;
  /** True if another attempt cannot succeed. Default false. */
  readonly final?: boolean;
  /** Time until the next attempt that the receiver requested, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Endpoints of a delivery engine: their tables, their requests, and the check of their responses. */
export interface EndpointSource<Target> {
  readonly tables: DeliveryTables;
  /**
   * Builds the HTTP request of an attempt. It is called outside a transaction.
   *
   * @throws UndeliverableError if no attempt can succeed until the endpoint is changed
   */
  build(delivery: ClaimedDelivery<Target>, nowMs: number): Promise<BuiltRequest>;
  /** Returns the problem of a response, or null for a success. */
  checkResponse(response: OutboundResponse, nowMs: number, delivery: ClaimedDelivery<Target>): ResponseProblem | null;
  /** Returns fields for the log lines about a delivery, such as the name of its endpoint. Default: no fields. */
  logFields?(delivery: ClaimedDelivery<Target>): object;
}
