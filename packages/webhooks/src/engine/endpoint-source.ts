import type { OutboundRequest, OutboundResponse } from '@switchboard/outbound';

/**
 * Names of a table of deliveries and a table of attempts, and SQL expressions that are specific to these tables. The
 * tables have the columns of `sql/001_deliveries.sql` and may have more columns. The names and expressions become part
 * of SQL statements unchanged.
 */
export interface DeliveryTables {
  /** Name of the table of deliveries, with its schema if the schema is not in the search path. */
  readonly deliveries: string;
  /** Name of the table of delivery attempts. */
  readonly attempts: string;
  /**
   * Function that returns the SQL expression, of type text, for the order key of the delivery `alias`. For queued
   * deliveries, the expression equals the generated column `lane`. The expression also applies to finished deliveries,
   * and is null for a delivery without an order.
   */
  readonly laneSql: (alias: string) => string;
  /**
   * Function that returns the SQL expression for the endpoint of the delivery `alias`. All deliveries of one endpoint
   * have the same receiver. Deliveries whose `waiting_for` is not null have an index on only this expression.
   */
  readonly endpointSql: (alias: string) => string;
  /**
   * Function that returns the SQL expression, of type text, for the receiver of the delivery `alias`, such as the
   * origin of its URL. Deliveries to one receiver share a concurrency limit and a circuit breaker. The expression is
   * null for a delivery that is never sent.
   */
  readonly receiverSql: (alias: string) => string;
  /**
   * Function that returns the SQL expression for {@link ClaimedDelivery.target} in JSON. The expression is null if the
   * endpoint no longer exists.
   */
  readonly targetSql: (alias: string) => string;
}

/** A webhook delivery that this process has claimed for one attempt. The claim ends with its lease. */
export interface ClaimedDelivery<Target> {
  /** Id of the delivery, a UUID. All attempts send the id in the header `webhook-id`. */
  readonly id: string;
  /**
   * Number of this attempt of the delivery, from 1. The outcome of the attempt is recorded only if no later attempt was
   * claimed.
   */
  readonly attempt: number;
  /**
   * Number of attempts since the delivery was last queued, including this attempt. After a requeue, the number is less
   * than `attempt`.
   */
  readonly tries: number;
  /** Stored payload of the delivery, as text. */
  readonly payload: string;
  /** Data of the endpoint and of the delivery that the request needs. Null if the endpoint was deleted. */
  readonly target: Target | null;
}

/** HTTP request of a delivery attempt, with its body as text for the record of the attempt. */
export interface BuiltRequest {
  readonly request: OutboundRequest;
  readonly body: string;
}

/** Problem of a receiver's response that is not a success. */
export interface ReceiverResponseProblem {
  /** Error text that is stored with the delivery. */
  readonly error: string;
  /** True if no further attempt of the delivery can succeed. Default false. */
  readonly final?: boolean;
  /** Delay before the next attempt that the receiver has requested, in milliseconds. */
  readonly retryAfterMs?: number | undefined;
}

/** Functions of a delivery engine's endpoints: their tables, the creation of requests, and the check of responses. */
export interface EndpointSource<Target> {
  readonly tables: DeliveryTables;
  /**
   * Builds the HTTP request of a delivery attempt. Called outside a transaction.
   *
   * @throws UndeliverableError if no attempt can succeed before the endpoint is changed
   */
  build(delivery: ClaimedDelivery<Target>, nowMs: number): Promise<BuiltRequest>;
  /** Returns the problem of a receiver's response, or null for a success. */
  checkResponse(
    response: OutboundResponse,
    nowMs: number,
    delivery: ClaimedDelivery<Target>,
  ): ReceiverResponseProblem | null;
  /**
   * Returns additional fields for the log lines about a delivery, such as the name of its endpoint. Default: no fields.
   */
  logFields?(delivery: ClaimedDelivery<Target>): object;
}
