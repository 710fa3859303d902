import { randomUUID } from 'node:crypto';
import {
  defineOutboxMessage,
  type Dispatcher,
  type DispatchRow,
  type OutboxMessageType,
  type QueueTx,
} from '@switchboard/queue';
import { z } from 'zod';
import type { DeliveryQueue } from './engine/delivery-queue.js';
import type { DeliveryStore } from './engine/delivery-store.js';
import { allEventTypes } from './endpoints/endpoint-schemas.js';
import type { WebhookTables } from './schema.js';

const emittedEvent = z.object({
  owner: z.string(),
  type: z.string(),
  /** Order key; null for an event without an order. */
  key: z.string().nullable(),
  /** JSON text of the request body. */
  body: z.string(),
});

/** An emitted event as stored in the outbox. */
export type EmittedEvent = z.infer<typeof emittedEvent>;

/** An event with the endpoint that it may be sent to, for the decision of the service. */
export interface EventForEndpoint {
  readonly type: string;
  readonly key: string | null;
  readonly owner: string;
  /** JSON text of the request body. */
  readonly body: string;
  readonly endpointId: string;
  /** Metadata of the endpoint. */
  readonly metadata: Readonly<Record<string, unknown>>;
}

/** Outbox message types of emitted events: events with a key are dispatched in the order of their commits. */
export interface EmittedMessages {
  readonly ordered: OutboxMessageType<EmittedEvent>;
  readonly unordered: OutboxMessageType<EmittedEvent>;
}

/** Defines the outbox message types of emitted events. */
export function defineEmittedMessages(name: string): EmittedMessages {
  const options = { version: 1, payload: emittedEvent };
  return {
    ordered: defineOutboxMessage({ ...options, name: `${name}.emitted`, order: 'key' }),
    unordered: defineOutboxMessage({ ...options, name: `${name}.emitted-unordered` }),
  };
}

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
}

/**
 * Returns the dispatcher of emitted events. It stores one delivery for each endpoint that receives an event, in the
 * transaction that deletes the outbox rows, and adds jobs after the commit. It takes three statements per batch.
 */
export function emittedDispatcher(environment: EmissionEnvironment): Dispatcher<EmittedEvent> {
  const { tables, database, store, queue, accepts } = environment;
  return async (rows, tx) => {
    const endpoints = await listEndpoints(tx, tables, rows);
    const deliveries = rows.flatMap((row, index) =>
      endpoints
        .filter((endpoint) => receives(endpoint, row.payload, accepts))
        .map((endpoint) => ({ id: randomUUID(), endpoint, row, number: index + 1 })),
    );
    if (deliveries.length === 0) return;
    await tx.query(insertSql(tables), [
      deliveries.map(({ id }) => id),
      deliveries.map(({ endpoint }) => endpoint.id),
      deliveries.map(({ number }) => number),
      rows.map(({ payload }) => payload.owner),
      rows.map(({ payload }) => payload.type),
      rows.map(({ payload }) => payload.key),
      rows.map(({ payload }) => payload.body),
    ]);
    const jobs = deliveries.map(({ id, endpoint: { receiver }, row: { context, bulk } }) => {
      return { id, receiver, context, isBulk: bulk };
    });
    return {
      // Jobs of blocked deliveries would delay those of other keys.
      afterCommit: async () => {
        const ids = await store.listUnblocked(
          database,
          jobs.map(({ id }) => id),
        );
        await queue.addFirst(jobs.filter(({ id }) => ids.has(id)));
      },
    };
  };
}

// The order of the first arrays determines the sequence numbers, and so the order of delivery. Each body is a parameter
// only once, whatever the number of its endpoints.
const insertSql = ({ deliveries }: WebhookTables): string => `
  INSERT INTO ${deliveries} (id, endpoint_id, owner, event, order_key, content_type, payload)
  SELECT n.id, n.endpoint, e.owner, e.type, e.key, 'application/json', e.body
    FROM unnest($1::uuid[], $2::uuid[], $3::bigint[]) WITH ORDINALITY AS n (id, endpoint, event, position)
    JOIN unnest($4::text[], $5::text[], $6::text[], $7::text[]) WITH ORDINALITY AS e (owner, type, key, body, number)
      ON e.number = n.event
   ORDER BY n.position`;

async function listEndpoints(
  tx: QueueTx,
  { endpoints }: WebhookTables,
  rows: readonly DispatchRow<EmittedEvent>[],
): Promise<readonly MatchingEndpoint[]> {
  const found = await tx.query<{ endpoint: MatchingEndpoint }>(
    `SELECT json_build_object('id', p.id, 'owner', p.owner, 'receiver', p.receiver, 'eventTypes', p.event_types,
            'metadata', p.metadata) AS endpoint
       FROM ${endpoints} p
      WHERE p.owner = ANY ($1::text[]) AND p.enabled AND p.event_types && $2::text[] ORDER BY p.sequence`,
    [
      [...new Set(rows.map(({ payload }) => payload.owner))],
      [allEventTypes, ...new Set(rows.map(({ payload }) => payload.type))],
    ],
  );
  return found.rows.map(({ endpoint }) => endpoint);
}

function receives(
  { id, owner, eventTypes, metadata }: MatchingEndpoint,
  event: EmittedEvent,
  accepts: EmissionEnvironment['accepts'],
): boolean {
  if (owner !== event.owner) return false;
  if (!eventTypes.includes(allEventTypes) && !eventTypes.includes(event.type)) return false;
  return accepts({ ...event, endpointId: id, metadata });
}
