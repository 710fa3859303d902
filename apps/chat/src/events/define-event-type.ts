import { z } from 'zod';
import type { EventViewer } from './event-viewer.js';

/** Definition of an event type: its name, payload in the event log, and recipients. */
export interface EventTypeDefinition<P extends z.ZodType> {
  /**
   * Name of the event type in the event log, `type` or `type/op`. Each name is unique, and never reused for another
   * payload.
   */
  readonly name: string;
  /**
   * Description of the event's recipients for the OpenAPI document. The code that writes the event determines the
   * actual recipients.
   */
  readonly audience: string;
  /**
   * Schema of the event's payload in the event log. The payload consists of JSON values and is equal for all
   * recipients.
   */
  readonly payload: P;
  /**
   * Set if administrators can subscribe webhooks to the event. The value states which events arrive in order:
   * `conversation` means events of one conversation, for events about messages. `type` means events of one type, for
   * all other events. All variants of the event have the same type.
   */
  readonly webhookOrder?: WebhookEventOrderGroup;
  /** Returns the maximum number of client events that one payload produces. Without this function, the maximum is 1. */
  readonly count?: (payload: z.output<P>) => number;
  /**
   * Divides a payload into two equivalent payloads. Used for event log entries that would be too long. Returns null if
   * the payload cannot be divided, which is the default.
   */
  readonly divide?: (payload: z.output<P>) => DividedEventPayload<z.output<P>> | null;
}

/** Group of events that a webhook receives in order: the events of one conversation, or all events of one type. */
export type WebhookEventOrderGroup = 'conversation' | 'type';

/** Two payloads of an event type that together are equivalent to one payload. */
export type DividedEventPayload<P> = readonly [P, P];

/** Keys of an event payload whose values are lists. */
type EventPayloadListKey<P> = { [K in keyof P]-?: P[K] extends readonly unknown[] ? K : never }[keyof P];

/**
 * Returns a function that divides a payload into two halves. The function divides the longest of the lists under the
 * given keys.
 */
export function createPayloadDividerByLists<P extends object>(
  ...keys: readonly EventPayloadListKey<P>[]
): (payload: P) => DividedEventPayload<P> | null {
  return (payload) => {
    const lists = keys.map((key) => ({ key, list: payload[key] as readonly unknown[] }));
    const { key, list } = lists.reduce((left, right) => (right.list.length > left.list.length ? right : left));
    if (list.length < 2) return null;
    const middle = Math.ceil(list.length / 2);
    return [
      { ...payload, [key]: list.slice(0, middle) },
      { ...payload, [key]: list.slice(middle) },
    ];
  };
}

/** One form in which clients receive an event: its `type` and `op` in the API, and other fields except `id`. */
export interface EventVariantDefinition<P extends z.ZodType, F extends z.ZodRawShape> {
  readonly type: string;
  readonly op?: string;
  readonly fields: F;
  /**
   * Condition for the event queues that receive this variant of the event. By default, all queues that fetch the event
   * type receive it.
   */
  readonly when?: (reader: EventViewer, payload: z.output<P>) => boolean;
  /**
   * Returns the fields of the client event for one event queue. A list means several consecutive events, and null means
   * no event.
   */
  render(payload: z.output<P>, reader: EventViewer): EventVariantFields<F> | readonly EventVariantFields<F>[] | null;
}

type EventVariantFields<F extends z.ZodRawShape> = z.output<z.ZodObject<F>>;

/** A form in which clients receive an event, for the OpenAPI document and for the renderer of events. */
export interface EventVariant {
  readonly type: string;
  readonly op: string | undefined;
  /** Schema of the whole client event except its `id`. The schema rejects unknown keys. */
  readonly schema: z.ZodObject;
}

/** An event type whose payload type is not known to TypeScript. */
export interface EventTypeOfUnknownPayload {
  readonly name: string;
  readonly audience: string;
  readonly variants: readonly EventVariant[];
  /** Group of events that a webhook receives in order, see {@link EventTypeDefinition.webhookOrder}. */
  readonly webhookOrder: WebhookEventOrderGroup | undefined;
  /**
   * Returns the client events of a stored payload for one queue, in the first variant that the queue accepts.
   * @throws ZodError when the payload is of another version of this type
   */
  renderStored(stored: object, reader: EventViewer): readonly RenderedClientEvent[];
}

/** A client event for one event queue, and the schema of the event. The event has no id yet. */
export interface RenderedClientEvent {
  readonly event: Record<string, unknown>;
  readonly schema: z.ZodObject;
}

interface RenderableEventVariant<P> extends EventVariant {
  readonly when: (reader: EventViewer, payload: P) => boolean;
  readonly render: (payload: P, reader: EventViewer) => readonly Record<string, unknown>[];
}

/**
 * An event type. The event log contains one payload per event, which is rendered for each event queue according to its
 * client's capabilities.
 */
export class EventType<P extends z.ZodType = z.ZodType> implements EventTypeOfUnknownPayload {
  readonly name: string;
  readonly audience: string;
  readonly payload: P;
  readonly variants: readonly RenderableEventVariant<z.output<P>>[];
  readonly webhookOrder: WebhookEventOrderGroup | undefined;
  // An entry is the same object for all readers of a process, so its payload is validated only once.
  readonly #checked = new WeakMap<object, z.output<P>>();
  readonly #definition: EventTypeDefinition<P>;

  constructor(definition: EventTypeDefinition<P>, variants: readonly RenderableEventVariant<z.output<P>>[] = []) {
    this.#definition = definition;
    this.name = definition.name;
    this.audience = definition.audience;
    this.payload = definition.payload;
    this.webhookOrder = definition.webhookOrder;
    this.variants = variants;
  }

  /**
   * Adds a form in which some clients receive events of this type. An event queue receives the first form whose type it
   * fetches and whose `when` returns true.
   */
  addVariant<F extends z.ZodRawShape>(variant: EventVariantDefinition<P, F>): EventType<P> {
    const { type, op, when = () => true } = variant;
    const head = op === undefined ? { type } : { type, op };
    const literals = op === undefined ? { type: z.literal(type) } : { type: z.literal(type), op: z.literal(op) };
    const added: RenderableEventVariant<z.output<P>> = {
      type,
      op,
      schema: z.strictObject({ ...literals, ...variant.fields }),
      when,
      render(payload, reader) {
        const fields = variant.render(payload, reader);
        if (fields === null) return [];
        const list: readonly object[] = Array.isArray(fields) ? fields : [fields];
        return list.map((each) => ({ ...head, ...each }));
      },
    };
    return new EventType(this.#definition, [...this.variants, added]);
  }

  /** Returns the maximum number of client events that a payload produces, at least 1. */
  countClientEvents(payload: z.output<P>): number {
    return Math.max(1, this.#definition.count?.(payload) ?? 1);
  }

  /** Divides a payload into two equivalent payloads. Returns null if the payload cannot be divided. */
  dividePayload(payload: z.output<P>): DividedEventPayload<z.output<P>> | null {
    return this.#definition.divide?.(payload) ?? null;
  }

  renderStored(stored: object, reader: EventViewer): readonly RenderedClientEvent[] {
    const payload = this.#parsePayload(stored);
    const variant = this.variants.find(({ type, when }) => reader.wants(type) && when(reader, payload));
    if (variant === undefined) return [];
    return variant.render(payload, reader).map((event) => ({ event, schema: variant.schema }));
  }

  #parsePayload(stored: object): z.output<P> {
    const known = this.#checked.get(stored);
    if (known !== undefined) return known;
    const payload = this.payload.parse(stored);
    this.#checked.set(stored, payload);
    return payload;
  }
}

/** Defines an event type. Each call of `addVariant` on the result adds a variant for some clients. */
export function defineEventType<P extends z.ZodType>(definition: EventTypeDefinition<P>): EventType<P> {
  return new EventType(definition);
}
