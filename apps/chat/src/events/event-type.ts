import type { z } from 'zod';
import type { ChatActor } from '../access/actor.js';
import type { QueueFilter, QueueForm } from './queue-options.js';

/** The queue that an event is rendered for, and its owner. */
export interface EventReader extends QueueForm {
  readonly viewer: ChatActor;
  readonly queueId: string;
  readonly filter: QueueFilter;
  /** Whether the event is addressed to the owner, not only to a role that the queue holds. */
  readonly isAddressee: boolean;
}

/** One type and op of event: what the log keeps, what clients get, and how the one becomes the other. */
export interface EventType<P extends z.ZodType = z.ZodType, W extends z.ZodType = z.ZodType> {
  /** `type` or `type/op`, the name under which entries are kept. */
  readonly name: string;
  readonly type: string;
  /** What the writer decided, in the log: one form for all readers. */
  readonly payload: P;
  /** What a client receives, beside its `id`. */
  readonly wire: W;
  /** The event for one queue; null when it is not for this queue. */
  render(payload: z.output<P>, reader: EventReader): z.output<W> | null;
}

/** Renders stored payloads of one type whose shape was checked. */
export interface EventRenderer {
  readonly name: string;
  readonly type: string;
  readonly wire: z.ZodType;
  renderStored(stored: object, reader: EventReader): object | null;
}

/** Declares an event type. */
export function defineEvent<P extends z.ZodType, W extends z.ZodType<object>>(
  type: EventType<P, W>,
): EventType<P, W> & EventRenderer {
  // An entry is one object for all readers of a process: its payload is checked for the first of them.
  const checked = new WeakMap<object, z.output<P>>();
  return {
    ...type,
    renderStored(stored, reader) {
      let payload = checked.get(stored);
      if (payload === undefined) {
        payload = type.payload.parse(stored);
        checked.set(stored, payload);
      }
      return type.render(payload, reader);
    },
  };
}
