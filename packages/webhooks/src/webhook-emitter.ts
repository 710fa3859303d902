import {
  defineOutboxMessage,
  processClock,
  type Outbox,
  type OutboxMessageType,
  type QueueClock,
  type TransactionHandle,
} from '@switchboard/queue';
import { z } from 'zod';
import { eventTypeNameSchema, eventOrderKeySchema, endpointOwnerSchema } from './endpoints/endpoint-schemas.js';
import { parseWebhookInput } from './parse-webhook-input.js';
import { webhookErrors } from './webhook-errors.js';

const emittedWebhookEventSchema = z.object({
  owner: z.string(),
  type: z.string(),
  /** Order key of the event; null for an event without an order. */
  key: z.string().nullable(),
  /** JSON text of the request body that is sent to endpoints. */
  body: z.string(),
  /**
   * Id of the only endpoint that receives the event. Absent for an event that is sent to all endpoints that subscribe
   * to its type.
   */
  endpointId: z.uuid().optional(),
});

/** An emitted event in the form that is stored in the outbox. */
export type EmittedWebhookEvent = z.infer<typeof emittedWebhookEventSchema>;

/** Outbox message types of emitted events. Events with an order key are dispatched in the order of their commits. */
export interface EmittedMessages {
  readonly ordered: OutboxMessageType<EmittedWebhookEvent>;
  readonly unordered: OutboxMessageType<EmittedWebhookEvent>;
}

/** An event that is sent to webhook endpoints. */
export interface WebhookEvent {
  /** Name of the event type, such as `order.placed`. */
  readonly type: string;
  /**
   * Order key of the event. Every endpoint receives events with equal order keys in the order of their commits.
   * Default: no order.
   */
  readonly key?: string;
  /** Data of the event. The data must be representable as JSON. */
  readonly payload: unknown;
  /** Owner of the endpoints that receive the event. Default `''`. */
  readonly owner?: string;
  /**
   * Id of the only endpoint that receives the event, regardless of the endpoint's event types. Default: all endpoints
   * that subscribe to the event type.
   */
  readonly endpointId?: string;
}

/** Options of {@link WebhookEmitter}. A process that only emits events needs no `Webhooks` object. */
export interface WebhookEmitterOptions {
  readonly outbox: Pick<Outbox, 'add'>;
  /** Name of the `Webhooks` object that delivers the emitted events. Default `webhooks`. */
  readonly name?: string;
  /** Names of all event types of the service. Default: any name that matches the schema is allowed. */
  readonly eventTypes?: readonly string[];
  /** Maximum size of the request body of an event in bytes. Default 262,144. */
  readonly maxBodyBytes?: number;
  readonly clock?: QueueClock;
}

/**
 * Emits webhook events in transactions. The class is intended for processes without a job queue, such as commands. A
 * `Webhooks` object with an equal name in another process delivers the events.
 */
export class WebhookEmitter {
  /** Outbox message types of the emitted events. */
  readonly messages: EmittedMessages;
  readonly #eventTypes: ReadonlySet<string> | null;

  constructor(private readonly options: WebhookEmitterOptions) {
    const { name = 'webhooks', eventTypes } = options;
    const common = { version: 1, payload: emittedWebhookEventSchema };
    this.messages = {
      ordered: defineOutboxMessage({ ...common, name: `${name}.emitted`, order: 'key' }),
      unordered: defineOutboxMessage({ ...common, name: `${name}.emitted-unordered` }),
    };
    this.#eventTypes = eventTypes === undefined ? null : new Set(eventTypes);
  }

  /**
   * Emits an event in the transaction `tx`. If the transaction commits, each enabled endpoint of the owner that
   * subscribes to the type receives a delivery. The request body is JSON with the members `type`, `timestamp` (time of
   * the emission in ISO 8601) and `data` (the payload).
   *
   * @throws ApplicationError `WEBHOOK_INPUT_INVALID` or `WEBHOOK_EVENT_TYPE_UNKNOWN`
   * @throws RangeError if the body is too large
   * @throws TypeError if the payload cannot be written as JSON
   * @throws QueueUsageError when `tx` is no handle of an open transaction
   */
  emit(tx: TransactionHandle, { type, key, payload, owner = '', endpointId }: WebhookEvent): void {
    const { outbox, maxBodyBytes = 262_144, clock = processClock } = this.options;
    parseWebhookInput(eventTypeNameSchema, type);
    if (this.#eventTypes?.has(type) === false) {
      throw webhookErrors.create('WEBHOOK_EVENT_TYPE_UNKNOWN', { params: { type } });
    }
    const body = JSON.stringify({ type, timestamp: new Date(clock.now()).toISOString(), data: payload ?? null });
    const bytes = Buffer.byteLength(body);
    if (bytes > maxBodyBytes) throw new RangeError(`The body of ${type} has ${bytes} of ${maxBodyBytes} bytes`);
    const event = {
      owner: parseWebhookInput(endpointOwnerSchema, owner),
      type,
      body,
      ...(endpointId !== undefined && { endpointId }),
    };
    if (key === undefined) return outbox.add(tx, this.messages.unordered, { ...event, key: null });
    parseWebhookInput(eventOrderKeySchema, key);
    outbox.add(tx, this.messages.ordered, { ...event, key }, { key: JSON.stringify([owner, key]) });
  }
}
