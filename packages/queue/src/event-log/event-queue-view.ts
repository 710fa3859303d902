import { formatErrorText } from '../environment.js';
import { isInAudience, type ParsedAudience, type UserId } from './audience.js';
import { toEventId } from './event-ids.js';
import type { LogEntryHeader, LogEntry } from './log-entry.js';

/** A client's event queue: a position in the event log of the client's realm, and a filter. */
export interface EventQueueRecord {
  readonly id: string;
  readonly realm: string;
  readonly owner: string;
  /** User id of the queue's owner, in the form that audiences use; null if no audience can name the owner as a user. */
  readonly user: UserId | null;
  readonly roles: readonly string[];
  /** Position (unit) of the log after which the event queue starts. */
  readonly start: number;
  /** Filter of the queue in the form that the app registered. Several queues may share this object. */
  readonly filter: Readonly<Record<string, unknown>>;
  /** Capabilities of the client in the form that the app registered. Several queues may share this object. */
  readonly capabilities: Readonly<Record<string, unknown>>;
}

/** An event in the form in which a client receives it. */
export type ClientEvent = Record<string, unknown> & { id: number };

/**
 * Function of the app that converts a log entry to the client events of one event queue. The events have no field `id`.
 * Returns an empty list if the queue's filter excludes the entry. The number of events must not exceed the weight of
 * the entry. The result must depend only on the arguments.
 */
export type LogEntryRenderer = (entry: LogEntry, queue: EventQueueRecord) => readonly Record<string, unknown>[];

/** Error for a log entry from which the app's renderer could not create events. */
export class UnrenderableEntryError extends Error {
  override readonly name = 'UnrenderableEntryError';
}

/**
 * Examines the entries of an event log for one event queue, starting at the client's position, and collects the queue's
 * events.
 */
export class EventQueueEntryExaminer {
  readonly events: ClientEvent[] = [];
  /** Last position (unit) of the log that was examined for the event queue. */
  examined: number;
  /**
   * Audience of the previous entry, cached together with its result {@link isIncluded}, because adjacent entries often
   * have the same audience.
   */
  private knownAudience: ParsedAudience | null = null;
  private isIncluded = false;

  constructor(
    readonly queue: EventQueueRecord,
    /**
     * Ids of outbox rows that the queue's snapshot already includes, so that the log entries of these rows are skipped.
     */
    private readonly skip: ReadonlySet<string>,
    /** Position (unit) in the log up to which the client has received all events. */
    private readonly from: number,
    private readonly render: LogEntryRenderer,
    /** Maximum number of collected events. With more events, the view examines no further log entries. */
    private readonly maxEvents = Number.POSITIVE_INFINITY,
  ) {
    this.examined = from;
  }

  /** True if the view has collected more events than its maximum. The view then examines no further log entries. */
  get hasReachedEventLimit(): boolean {
    return this.events.length > this.maxEvents;
  }

  /**
   * Returns true if the queue may receive events of a log entry. The entry's audience must include the queue's owner,
   * and the queue's snapshot must not contain the entry already.
   */
  mayReceiveEventsOfEntry({ rowId, audience }: LogEntryHeader): boolean {
    if (audience !== this.knownAudience) {
      this.knownAudience = audience;
      this.isIncluded = isInAudience(audience, this.queue.user, this.queue.roles);
    }
    return this.isIncluded && !this.skip.has(rowId);
  }

  /** Marks all log entries up to the position `unit` as examined. */
  markExaminedUpToPosition(unit: number): void {
    if (unit > this.examined) this.examined = unit;
  }

  /**
   * Examines the next log entry and collects its events, unless the view contains the maximum number of events. Returns
   * true if the entry was rendered.
   *
   * @throws UnrenderableEntryError if the renderer throws an error, returns more events than the weight of the entry,
   *   or returns an event with a field `id`
   */
  examineEntry(entry: LogEntry): boolean {
    if (entry.unit <= this.examined || this.hasReachedEventLimit) return false;
    this.examined = entry.unit;
    if (!this.mayReceiveEventsOfEntry(entry)) return false;
    let unit = entry.previousUnit;
    for (const event of this.renderEntry(entry)) {
      unit += 1;
      // A client may have acknowledged only a part of the events of one entry.
      if (unit > this.from)
        this.events.push(this.addIdToRenderedEvent(event, entry.unit, toEventId(this.queue.start, unit)));
    }
    return true;
  }

  /** Returns a rendered event together with its event id. Throws an error if the event already has a field `id`. */
  private addIdToRenderedEvent(event: Readonly<Record<string, unknown>>, unit: number, id: number): ClientEvent {
    // The event is spread last: if it is spread first, V8 (Node 20) creates a hidden class per object, which slows
    // reads.
    const numbered: ClientEvent = { id, ...event };
    if (numbered.id !== id) throw new UnrenderableEntryError(`entry ${unit}: the event has a field id`);
    return numbered;
  }

  private renderEntry(entry: LogEntry): ReturnType<LogEntryRenderer> {
    try {
      const events = this.render(entry, this.queue);
      if (events.length <= entry.weight) return events;
      throw new RangeError(`weight ${entry.weight} became ${events.length} events`);
    } catch (error) {
      throw new UnrenderableEntryError(`entry ${entry.unit}: ${formatErrorText(error)}`, { cause: error });
    }
  }
}
