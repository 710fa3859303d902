import { randomUUID } from 'node:crypto';
import type { OutboxRowsDispatcher, DispatchedOutboxRow, QueueTx } from '@switchboard/queue';
import type { EmittedWebhookEvent } from './webhook-emitter.js';
import type { DeliveryQueue } from './engine/delivery-queue.js';
import type { DeliveryStore } from './engine/delivery-store.js';
import { allEventTypesName } from './endpoints/endpoint-schemas.js';
import type { WebhookTableNames } from './webhook-tables.js';

/** An event with an endpoint that may receive the event. The service decides whether the event is sent. */
export interface WebhookEventForEndpoint {
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
  events: readonly WebhookEventForEndpoint[],
  tx: QueueTx,
) => Promise<readonly (readonly string[])[]>;

interface PossibleReceiverEndpoint {
  readonly id: string;
  readonly owner: string;
  readonly receiver: string;
  readonly eventTypes: readonly string[];
  readonly metadata: Readonly<Record<string, unknown>>;
}

export interface EmittedEventDispatcherDependencies {
  readonly tables: WebhookTableNames;
  readonly database: QueueTx;
  readonly store: DeliveryStore<unknown>;
  readonly queue: DeliveryQueue;
  /**
   * Function that decides about an event and an endpoint that subscribes to the event's type. Returns true if the event
   * is sent to the endpoint.
   */
  readonly accepts: (event: WebhookEventForEndpoint) => boolean;
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
  readonly endpoint: PossibleReceiverEndpoint;
  readonly row: DispatchedOutboxRow<EmittedWebhookEvent>;
  readonly body: string;
}

/**
 * Returns the dispatcher of emitted events. The dispatcher stores one delivery for each body that an endpoint receives,
 * in the transaction that deletes the outbox rows. After the commit, the dispatcher adds the jobs of the deliveries. A
 * batch takes three SQL statements, plus the statements of `bodiesFor`. Events whose bodies exceed the size of a batch
 * remain for the next batch.
 */
export function createEmittedEventDispatcher(
  environment: EmittedEventDispatcherDependencies,
): OutboxRowsDispatcher<EmittedWebhookEvent> {
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
  { tables, accepts, bodiesFor, maxBatchBytes }: EmittedEventDispatcherDependencies,
  rows: readonly DispatchedOutboxRow<EmittedWebhookEvent>[],
  tx: QueueTx,
): Promise<NewDelivery[][]> {
  const endpoints = await listEndpointsOfEvents(tx, tables, rows);
  const matches = selectListsWithinByteLimit(
    rows.map((row) =>
      endpoints
        .filter((endpoint) => doesEndpointReceiveEvent(endpoint, row.payload))
        .map((endpoint) => ({ row, endpoint, event: createEventForEndpoint(endpoint, row.payload) }))
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
  return selectListsWithinByteLimit(deliveries, ({ body }) => body, maxBatchBytes);
}

/**
 * Returns the first lists whose texts together have at most `maxBytes` bytes. Always includes the first list, even if
 * its texts are larger.
 */
function selectListsWithinByteLimit<T>(lists: readonly T[][], textOf: (item: T) => string, maxBytes: number): T[][] {
  let bytes = 0;
  const tooLarge = lists.findIndex((list, index) => {
    for (const item of list) bytes += Buffer.byteLength(textOf(item));
    return index > 0 && bytes > maxBytes;
  });
  return lists.slice(0, tooLarge === -1 ? lists.length : tooLarge);
}

async function listEndpointsOfEvents(
  tx: QueueTx,
  { endpoints }: WebhookTableNames,
  rows: readonly DispatchedOutboxRow<EmittedWebhookEvent>[],
): Promise<readonly PossibleReceiverEndpoint[]> {
  const found = await tx.query<{ endpoint: PossibleReceiverEndpoint }>(
    `SELECT json_build_object('id', p.id, 'owner', p.owner, 'receiver', p.receiver, 'eventTypes', p.event_types,
            'metadata', p.metadata) AS endpoint
       FROM ${endpoints} p
      WHERE p.owner = ANY ($1::text[]) AND p.enabled AND (p.event_types && $2::text[] OR p.id = ANY ($3::uuid[]))
      ORDER BY p.sequence`,
    [
      [...new Set(rows.map(({ payload }) => payload.owner))],
      [allEventTypesName, ...new Set(rows.map(({ payload }) => payload.type))],
      rows.flatMap(({ payload: { endpointId } }) => (endpointId === undefined ? [] : [endpointId])),
    ],
  );
  return found.rows.map(({ endpoint }) => endpoint);
}

function doesEndpointReceiveEvent(
  { id, owner, eventTypes }: PossibleReceiverEndpoint,
  event: EmittedWebhookEvent,
): boolean {
  if (owner !== event.owner) return false;
  if (event.endpointId !== undefined) return id === event.endpointId.toLowerCase();
  return eventTypes.includes(allEventTypesName) || eventTypes.includes(event.type);
}

function createEventForEndpoint(
  { id, metadata }: PossibleReceiverEndpoint,
  event: EmittedWebhookEvent,
): WebhookEventForEndpoint {
  const { type, key, owner, body } = event;
  return { type, key, owner, body, endpointId: id, metadata };
}

/**
 * Stores deliveries in one SQL statement. Each body is passed only once, even if several endpoints receive the body.
 */
async function insertDeliveries(
  tx: QueueTx,
  tables: WebhookTableNames,
  deliveries: readonly NewDelivery[],
): Promise<void> {
  const contents: { readonly event: EmittedWebhookEvent; readonly body: string }[] = [];
  const numbersByEvent = new Map<EmittedWebhookEvent, Map<string, number>>();
  const numbers = deliveries.map(({ row: { payload: event }, body }) => {
    const ofEvent = numbersByEvent.get(event) ?? new Map<string, number>();
    numbersByEvent.set(event, ofEvent);
    const number = ofEvent.get(body) ?? contents.push({ event, body });
    ofEvent.set(body, number);
    return number;
  });
  await tx.query(createInsertDeliveriesSql(tables), [
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
const createInsertDeliveriesSql = ({ deliveries }: WebhookTableNames): string => `
  INSERT INTO ${deliveries} (id, endpoint_id, owner, event, order_key, content_type, payload)
  SELECT n.id, n.endpoint, e.owner, e.type, e.key, 'application/json', e.body
    FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) WITH ORDINALITY AS n (id, endpoint, event, position)
    JOIN unnest($4::text[], $5::text[], $6::text[], $7::text[]) WITH ORDINALITY AS e (owner, type, key, body, number)
      ON e.number = n.event
   ORDER BY n.position`;
