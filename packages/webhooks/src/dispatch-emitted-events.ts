import { randomUUID } from 'node:crypto';
import type { Dispatcher, DispatchedOutboxRow, QueueTx } from '@switchboard/queue';
import type { EmittedEvent } from './webhook-emitter.js';
import type { DeliveryQueue } from './engine/delivery-queue.js';
import type { DeliveryStore } from './engine/delivery-store.js';
import { allEventTypes } from './endpoints/endpoint-schemas.js';
import type { WebhookTables } from './webhook-tables.js';

/** An event with an endpoint that may receive the event. The service decides whether the event is sent. */
export interface EventForEndpoint {
  readonly type: string;
  readonly key: string | null;
  readonly owner: string;
  /** JSON text of the body with which the event was emitted. */
  readonly body: string;
  readonly endpointId: string;
  /** Metadata that the service has stored with the endpoint. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/**
 * Function that returns, for each event and endpoint, the bodies that the endpoint receives. See
 * `WebhooksOptions.bodiesFor`.
 */
export type BodiesForEndpoint = (
  events: readonly EventForEndpoint[],
  tx: QueueTx,
) => Promise<readonly (readonly string[])[]>;

interface MatchingEndpoint {
  readonly id: string;
  readonly owner: string;
  readonly receiver: string;
  readonly eventTypes: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Dependencies of {@link emittedDispatcher}. */
export interface EmissionEnvironment {
  readonly tables: WebhookTables;
  readonly database: QueueTx;
  readonly store: DeliveryStore<unknown>;
  readonly queue: DeliveryQueue;
  /**
   * Function that decides about an event and an endpoint that subscribes to the event's type. Returns true if the event
   * is sent to the endpoint.
   */
  readonly accepts: (event: EventForEndpoint) => boolean;
  /**
   * Function that returns the bodies for endpoints; undefined if all endpoints receive the body with which the event
   * was emitted.
   */
  readonly bodiesFor: BodiesForEndpoint | undefined;
  /**
   * Maximum total size in bytes of the bodies that one batch of events stores. The first event of a batch may exceed
   * the maximum.
   */
  readonly maxBatchBytes: number;
}

/** A webhook delivery that is about to be stored. */
interface NewDelivery {
  readonly id: string;
  readonly endpoint: MatchingEndpoint;
  readonly row: DispatchedOutboxRow<EmittedEvent>;
  readonly body: string;
}

/**
 * Returns the dispatcher of emitted events. The dispatcher stores one delivery for each body that an endpoint receives,
 * in the transaction that deletes the outbox rows. After the commit, the dispatcher adds the jobs of the deliveries. A
 * batch takes three SQL statements, plus the statements of `bodiesFor`. Events whose bodies exceed the size of a batch
 * remain for the next batch.
 */
export function emittedDispatcher(environment: EmissionEnvironment): Dispatcher<EmittedEvent> {
  const { tables, database, store, queue } = environment;
  return async (rows, tx) => {
    const batch = await createDeliveries(environment, rows, tx);
    const handledRows = batch.length;
    const deliveries = batch.flat();
    if (deliveries.length === 0) return { handledRows };
    await insertDeliveries(tx, tables, deliveries);
    const jobs = deliveries.map(({ id, endpoint: { receiver }, row: { context, bulk } }) => {
      return { id, receiver, context, isBulk: bulk };
    });
    return {
      handledRows,
      // Jobs of blocked deliveries would delay those of other keys.
      afterCommit: async () => {
        const ids = await store.listWithoutEarlierDelivery(
          database,
          jobs.map(({ id }) => id),
        );
        await queue.addFirstAttempts(jobs.filter(({ id }) => ids.has(id)));
      },
    };
  };
}

/**
 * Creates the deliveries for the first events of a batch. Stops before the event whose bodies exceed the size of a
 * batch. Returns one list of deliveries for each event.
 */
async function createDeliveries(
  { tables, accepts, bodiesFor, maxBatchBytes }: EmissionEnvironment,
  rows: readonly DispatchedOutboxRow<EmittedEvent>[],
  tx: QueueTx,
): Promise<NewDelivery[][]> {
  const endpoints = await listEndpoints(tx, tables, rows);
  const matches = limitBytes(
    rows.map((row) =>
      endpoints
        .filter((endpoint) => isEndpointAddressed(endpoint, row.payload))
        .map((endpoint) => ({ row, endpoint, event: eventForEndpoint(endpoint, row.payload) }))
        .filter(({ event }) => accepts(event)),
    ),
    ({ event }) => event.body,
    maxBatchBytes,
  );
  const events = matches.flat().map(({ event }) => event);
  if (events.length === 0) return matches.map(() => []);
  const bodies = bodiesFor === undefined ? events.map(({ body }) => [body]) : await bodiesFor(events, tx);
  let next = 0;
  const deliveries = matches.map((ofEvent) =>
    ofEvent.flatMap(({ row, endpoint }) =>
      (bodies[next++] ?? []).map((body) => ({ id: randomUUID(), endpoint, row, body })),
    ),
  );
  return limitBytes(deliveries, ({ body }) => body, maxBatchBytes);
}

/**
 * Returns the first lists whose texts together have at most `maxBytes` bytes. Always includes the first list, even if
 * its texts are larger.
 */
function limitBytes<T>(lists: readonly T[][], textOf: (item: T) => string, maxBytes: number): T[][] {
  let bytes = 0;
  const tooLarge = lists.findIndex((list, index) => {
    for (const item of list) bytes += Buffer.byteLength(textOf(item));
    return index > 0 && bytes > maxBytes;
  });
  return lists.slice(0, tooLarge === -1 ? lists.length : tooLarge);
}

async function listEndpoints(
  tx: QueueTx,
  { endpoints }: WebhookTables,
  rows: readonly DispatchedOutboxRow<EmittedEvent>[],
): Promise<readonly MatchingEndpoint[]> {
  const found = await tx.query<{ endpoint: MatchingEndpoint }>(
    `SELECT json_build_object('id', p.id, 'owner', p.owner, 'receiver', p.receiver, 'eventTypes', p.event_types,
            'metadata', p.metadata) AS endpoint
       FROM ${endpoints} p
      WHERE p.owner = ANY ($1::text[]) AND p.enabled AND (p.event_types && $2::text[] OR p.id = ANY ($3::uuid[]))
      ORDER BY p.sequence`,
    [
      [...new Set(rows.map(({ payload }) => payload.owner))],
      [allEventTypes, ...new Set(rows.map(({ payload }) => payload.type))],
      rows.flatMap(({ payload: { endpointId } }) => (endpointId === undefined ? [] : [endpointId])),
    ],
  );
  return found.rows.map(({ endpoint }) => endpoint);
}

function isEndpointAddressed({ id, owner, eventTypes }: MatchingEndpoint, event: EmittedEvent): boolean {
  if (owner !== event.owner) return false;
  if (event.endpointId !== undefined) return id === event.endpointId.toLowerCase();
  return eventTypes.includes(allEventTypes) || eventTypes.includes(event.type);
}

function eventForEndpoint({ id, metadata }: MatchingEndpoint, event: EmittedEvent): EventForEndpoint {
  const { type, key, owner, body } = event;
  return { type, key, owner, body, endpointId: id, metadata };
}

/**
 * Stores deliveries in one SQL statement. Each body is passed only once, even if several endpoints receive the body.
 */
async function insertDeliveries(tx: QueueTx, tables: WebhookTables, deliveries: readonly NewDelivery[]): Promise<void> {
  const contents: { readonly event: EmittedEvent; readonly body: string }[] = [];
  const numbersByEvent = new Map<EmittedEvent, Map<string, number>>();
  const numbers = deliveries.map(({ row: { payload: event }, body }) => {
    const ofEvent = numbersByEvent.get(event) ?? new Map<string, number>();
    numbersByEvent.set(event, ofEvent);
    const number = ofEvent.get(body) ?? contents.push({ event, body });
    ofEvent.set(body, number);
    return number;
  });
  await tx.query(insertDeliveriesSql(tables), [
    deliveries.map(({ id }) => id),
    deliveries.map(({ endpoint }) => endpoint.id),
    numbers,
    contents.map(({ event }) => event.owner),
    contents.map(({ event }) => event.type),
    contents.map(({ event }) => event.key),
    contents.map(({ body }) => body),
  ]);
}

// The order of the first arrays determines the sequence numbers, and so the order of delivery.
const insertDeliveriesSql = ({ deliveries }: WebhookTables): string => `
  INSERT INTO ${deliveries} (id, endpoint_id, owner, event, order_key, content_type, payload)
  SELECT n.id, n.endpoint, e.owner, e.type, e.key, 'application/json', e.body
    FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) WITH ORDINALITY AS n (id, endpoint, event, position)
    JOIN unnest($4::text[], $5::text[], $6::text[], $7::text[]) WITH ORDINALITY AS e (owner, type, key, body, number)
      ON e.number = n.event
   ORDER BY n.position`;
