import { audienceIncludes } from './audience.js';
import { eventId } from './event-ids.js';
import type { LogEntry } from './log-entry.js';

/** A client's queue: a cursor and a filter on its realm's log. `filter` and `capabilities` are what the app registered. */
export interface QueueRecord {
  readonly id: string;
  readonly realm: string;
  readonly owner: string;
  /** The owner as audiences name users; null when the owner is no decimal number. */
  readonly user: number | null;
  readonly roles: readonly string[];
  /** The unit after which it began. */
  readonly start: number;
  readonly filter: Readonly<Record<string, unknown>>;
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** An event as a client receives it. */
export type ClientEvent = Record<string, unknown> & { id: number };

/**
 * Turns an entry into the client events of one queue, without ids: none when the filter does not want it, at most as
 * many as the entry's weight. Must depend on its arguments alone.
 */
export type Renderer = (entry: LogEntry, queue: QueueRecord) => readonly Record<string, unknown>[];

/** Looks through entries on behalf of one queue, from the client's position on, and collects its events. */
export class QueueView {
  readonly events: ClientEvent[] = [];
  /** The last unit looked at. */
  examined: number;

  constructor(
    readonly queue: QueueRecord,
    /** Ids of outbox rows whose changes the queue's snapshot had. */
    private readonly skip: ReadonlySet<string>,
    /** The unit up to which the client has everything. */
    private readonly from: number,
    private readonly render: Renderer,
  ) {
    this.examined = from;
  }

  /** Looks at the next entry. Throws what the renderer throws, and RangeError when it renders more than the weight. */
  examine(entry: LogEntry): void {
    if (entry.unit <= this.examined) return;
    this.examined = entry.unit;
    if (this.skip.has(entry.rowId)) return;
    const { queue } = this;
    if (!audienceIncludes(entry.audience, queue.user, queue.roles)) return;
    const rendered = this.render(entry, queue);
    if (rendered.length > entry.weight) {
      throw new RangeError(`entry ${entry.unit} of weight ${entry.weight} became ${rendered.length} events`);
    }
    for (const [index, event] of rendered.entries()) {
      const unit = entry.previousUnit + 1 + index;
      // A client may have acknowledged a part of what one entry became.
      if (unit > this.from) this.events.push({ ...event, id: eventId(queue.start, unit) });
    }
  }
}
