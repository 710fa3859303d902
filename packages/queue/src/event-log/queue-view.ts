import { errorText } from '../environment.js';
import { audienceIncludes, type PackedAudience } from './audience.js';
import { eventId } from './event-ids.js';
import type { EntryHeader, LogEntry } from './log-entry.js';

/**
 * A client's queue: a cursor and a filter on its realm's log. `filter` and `capabilities` are what the app registered;
 * queues may share these objects.
 */
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
 * Turns an entry into the client events of one queue, without a field `id`: none when the filter does not want it, at most as
 * many as the entry's weight. Must depend on its arguments alone.
 */
export type Renderer = (entry: LogEntry, queue: QueueRecord) => readonly Record<string, unknown>[];

/** The app's renderer cannot make events of an entry. */
export class UnrenderableEntryError extends Error {
  override readonly name = 'UnrenderableEntryError';
}

/** Looks through entries on behalf of one queue, from the client's position on, and collects its events. */
export class QueueView {
  readonly events: ClientEvent[] = [];
  /** The last examined unit. */
  examined: number;
  /** The audience of the entry before, and whether it had the owner: neighbours often share one. */
  private knownAudience: PackedAudience | null = null;
  private isIncluded = false;

  constructor(
    readonly queue: QueueRecord,
    /** Ids of outbox rows already contained in the queue's snapshot. */
    private readonly skip: ReadonlySet<string>,
    /** The unit up to which the client has everything. */
    private readonly from: number,
    private readonly render: Renderer,
  ) {
    this.examined = from;
  }

  /** Whether an entry may be for the queue: its owner is in the audience, and its snapshot did not have it. */
  concerns({ rowId, audience }: EntryHeader): boolean {
    if (audience !== this.knownAudience) {
      this.knownAudience = audience;
      this.isIncluded = audienceIncludes(audience, this.queue.user, this.queue.roles);
    }
    return this.isIncluded && !this.skip.has(rowId);
  }

  /** Notes that nothing more up to `unit` concerns the queue. */
  pass(unit: number): void {
    if (unit > this.examined) this.examined = unit;
  }

  /**
   * Looks at the next entry. Throws {@link UnrenderableEntryError} when the renderer throws, makes more of the entry than
   * its weight, or an event with a field `id`.
   */
  examine(entry: LogEntry): void {
    if (entry.unit <= this.examined) return;
    this.examined = entry.unit;
    if (!this.concerns(entry)) return;
    let unit = entry.previousUnit;
    for (const event of this.rendered(entry)) {
      unit += 1;
      // A client may have acknowledged a part of what one entry became.
      if (unit > this.from) this.events.push(this.numbered(event, entry.unit, eventId(this.queue.start, unit)));
    }
  }

  /** A client event must not have an id of its own, which its number would replace. */
  private numbered(event: Readonly<Record<string, unknown>>, unit: number, id: number): ClientEvent {
    // Spread last: where it comes first, V8 gives each object a hidden class (Node 20), and reading thousands is slow.
    const numbered: ClientEvent = { id, ...event };
    if (numbered.id !== id) throw new UnrenderableEntryError(`entry ${unit}: the event has a field id`);
    return numbered;
  }

  private rendered(entry: LogEntry): ReturnType<Renderer> {
    try {
      const events = this.render(entry, this.queue);
      if (events.length <= entry.weight) return events;
      throw new RangeError(`weight ${entry.weight} became ${events.length} events`);
    } catch (error) {
      throw new UnrenderableEntryError(`entry ${entry.unit}: ${errorText(error)}`, { cause: error });
    }
  }
}
