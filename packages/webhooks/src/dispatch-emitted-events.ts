import { randomUUID } from 'node:crypto';
import type { Dispatcher, DispatchedOutboxRow, QueueTx } from '@switchboard/queue';
import type { EmittedEvent } from './webhook-emitter.js';
import type { DeliveryQueue } from './engine/delivery-queue.js';
import type { DeliveryStore } from './engine/delivery-store.js';
import { allEventTypes } from './endpoints/endpoint-schemas.js';
import type { WebhookTables } from './webhook-tables.js';

/** An event with the endpoint that it may be sent to, for the decision of the service. */
export interface EventForEndpoint {
  readonly type: string;
  readonly key: string | null;
  readonly owner: string;
  /** JSON text of the body that was emitted. */
  readonly body: string;
  readonly endpointId: string;
  /** Metadata of the endpoint. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Function that returns the bodies that each endpoint receives for each event. See `WebhooksOptions.bodiesFor`. */
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
  /** Returns true if an event is sent to an endpoint that subscribes to its type. */
  readonly accepts: (event: EventForEndpoint) => boolean;
  /** Undefined if all endpoints receive the body that was emitted. */
  readonly bodiesFor: BodiesForEndpoint | undefined;
  /** Maximum size of the stored bodies of a batch in bytes. The first event of a batch may exceed it. */
  readonly maxBatchBytes: number;
}

/** A delivery that is about to be stored. */
interface NewDelivery {
  readonly id: string;
  readonly endpoint: MatchingEndpoint;
  readonly row: DispatchedOutboxRow<EmittedEvent>;
  readonly body: string;
}

/**
 * Returns the dispatcher of emitted events. It stores one delivery for each body that an endpoint receives, in the
 * transaction that deletes the outbox rows, and adds jobs after the commit. It takes three statements per batch, and
 * those of `bodiesFor`. Events whose bodies exceed the size of a batch remain for the next one.
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

/** Returns the deliveries of each of the first events, whose bodies together have the size of a batch. */
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

/** Returns the first lists, of which all but the first contain texts of at most `maxBytes` together. */
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

/** Stores deliveries. Each body is a parameter only once, even if several endpoints receive it. */
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
