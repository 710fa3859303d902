import type { QueueClock } from '../environment.js';
import { BadEventQueueError, EventAheadError, EventLogUnavailableError, EventPrunedError } from './errors.js';
import { heartbeatId, positionOf } from './event-ids.js';
import { HeldPoll } from './held-poll.js';
import type { LiveQueue, LogStore } from './log-store.js';
import { QueueView, type ClientEvent, type QueueRecord, type Renderer } from './queue-view.js';
import type { Readers } from './readers.js';
import { READ_COUNT, type RealmReader } from './realm-reader.js';

/** A client's request for events. */
export interface PollRequest {
  realm: string;
  queueId: string;
  owner: string;
  /** The last event the client has; -1 for none. Acknowledges everything up to it. */
  lastEventId: number;
  /** Wait for an event, or a heartbeat, when there is none. */
  block: boolean;
  /** The client has gone. */
  signal?: AbortSignal | undefined;
}

/** What polling works with. */
export interface PollingOptions {
  store: LogStore;
  readers: Readers;
  clock: QueueClock;
  processId: string;
  heartbeatMs: number;
  queueCap: number;
  /** Highest unit given out, from PostgreSQL. */
  position: (realm: string) => Promise<number>;
  /** Asks for a drain of the realm. */
  ring: (realm: string) => void;
  /** Writes an entry for nobody. */
  tick: (realm: string) => void;
}

/** While part of the log cannot be read, a poll looks again this often. */
const RETRY_MS = 1_000;

interface Ticket {
  readonly token: string;
  readonly deadline: number;
  ended: boolean;
  held: HeldPoll | null;
}

/** `GET /events`: event-log-protocol.md section 5. */
export class Polling {
  /** By queue id: the poll of this process that came last. */
  private readonly tickets = new Map<string, Ticket>();
  private count = 0;
  private stopped = false;

  constructor(private readonly options: PollingOptions) {}

  async poll(request: PollRequest, render: Renderer): Promise<ClientEvent[]> {
    const { processId, clock, heartbeatMs } = this.options;
    if (!Number.isSafeInteger(request.lastEventId)) throw new EventAheadError(request.lastEventId);
    const ticket: Ticket = {
      token: `${processId}:${(this.count += 1)}`,
      // Spread, so that polls that were answered together do not all beat together.
      deadline: clock.now() + heartbeatMs * (1 - Math.random() / 10),
      ended: false,
      held: null,
    };
    const abort = (): void => end(ticket);
    request.signal?.addEventListener('abort', abort, { once: true });
    if (request.signal?.aborted) abort();
    try {
      for (;;) {
        const events = await this.attempt(request, render, ticket);
        if (events) return events;
      }
    } finally {
      request.signal?.removeEventListener('abort', abort);
      if (this.tickets.get(request.queueId) === ticket) this.tickets.delete(request.queueId);
    }
  }

  /** Ends the poll held here under this token. */
  end(queueId: string, token: string): void {
    const ticket = this.tickets.get(queueId);
    if (ticket?.token === token) end(ticket);
  }

  /** Ends every poll with `[]`; the client asks again and may land anywhere. */
  stop(): void {
    this.stopped = true;
    for (const ticket of this.tickets.values()) end(ticket);
  }

  /** One look at the queue and, if it blocks, one hold. Null: look again. */
  private async attempt(request: PollRequest, render: Renderer, ticket: Ticket): Promise<ClientEvent[] | null> {
    const { store, readers } = this.options;
    const { realm, queueId } = request;
    const answer = await store.poll(realm, queueId, {
      owner: request.owner,
      lastEventId: request.lastEventId,
      token: ticket.token,
      holdMs: request.block ? this.options.heartbeatMs : 0,
    });
    if (answer.status === 'PRUNED') throw new EventPrunedError(request.lastEventId);
    if (answer.status === 'BAD') throw new BadEventQueueError(queueId);
    this.takeOver(queueId, ticket);
    const queue = toRecord(request, answer);
    const { unit } = positionOf(queue.start, request.lastEventId);
    const reader = await readers.get(realm, unit);
    if (reader.tail.epoch !== 0 && reader.tail.epoch !== answer.epoch) await reader.catchUp();
    if (unit > answer.last) await this.awaitRedis(reader, unit, request.lastEventId);

    const skip = new Set<string>(answer.skip === '' ? [] : answer.skip.split(','));
    const view = new QueueView(queue, skip, unit, render);
    const covered = await this.examineStream(reader, view);
    // From here to the hold nothing waits: no entry can come between the look at the tail and the waiter.
    if (covered) for (const entry of reader.tail.after(view.examined)) view.examine(entry);
    if (view.events.length > this.options.queueCap) {
      await store.remove(realm, queueId, request.owner);
      throw new BadEventQueueError(queueId);
    }
    if (ticket.ended || this.stopped) return [];
    if (view.events.length > 0 || !request.block) return view.events;
    return this.hold(request, ticket, reader, view, covered);
  }

  private takeOver(queueId: string, ticket: Ticket): void {
    const earlier = this.tickets.get(queueId);
    if (earlier && earlier !== ticket) end(earlier);
    this.tickets.set(queueId, ticket);
  }

  /** Redis does not know `unit`. Either it has fallen behind, then the entries come back; or the client made it up. */
  private async awaitRedis(reader: RealmReader, unit: number, lastEventId: number): Promise<void> {
    const { position, ring } = this.options;
    if (unit > reader.tail.end && unit > (await position(reader.realm))) throw new EventAheadError(lastEventId);
    ring(reader.realm);
  }

  /** Looks at what lies before the tail. False when the log has nothing there now though it should have. */
  private async examineStream(reader: RealmReader, view: QueueView): Promise<boolean> {
    while (view.examined < reader.tail.base) {
      const chunk = await this.options.store.read(reader.realm, view.examined, READ_COUNT);
      if (chunk.floor > view.examined) throw new BadEventQueueError(view.queue.id);
      if (chunk.entries.length === 0) {
        this.options.ring(reader.realm);
        return false;
      }
      for (const entry of chunk.entries) view.examine(entry);
    }
    return true;
  }

  private async hold(
    request: PollRequest,
    ticket: Ticket,
    reader: RealmReader,
    view: QueueView,
    covered: boolean,
  ): Promise<ClientEvent[] | null> {
    const { clock } = this.options;
    const remainingMs = Math.max(0, ticket.deadline - clock.now());
    const beats = remainingMs <= RETRY_MS || covered;
    const held = new HeldPoll(view, reader.waiters, clock);
    ticket.held = held;
    try {
      const outcome = await held.begin(covered ? remainingMs : Math.min(RETRY_MS, remainingMs));
      if (outcome === 'events') return view.events;
      if (outcome === 'ended') return [];
      if (outcome === 'recheck' || !beats) return null;
      return await this.heartbeat(request, ticket, reader, view, covered);
    } finally {
      held.release();
      ticket.held = null;
    }
  }

  /** Time is up. Reads once more, in case a hint was missed; then an id between the events acknowledges what was seen. */
  private async heartbeat(
    { realm, lastEventId }: PollRequest,
    ticket: Ticket,
    reader: RealmReader,
    view: QueueView,
    covered: boolean,
  ): Promise<ClientEvent[] | null> {
    try {
      await reader.catchUp();
    } catch (error) {
      if (error instanceof EventLogUnavailableError) return [];
      throw error;
    }
    if (view.events.length > 0) return view.events;
    if (ticket.ended) return [];
    const id = heartbeatId(view.queue.start, lastEventId, covered ? reader.tail.end : view.examined);
    if (id === 'hold') {
      await this.pause(RETRY_MS);
      return ticket.ended ? [] : null;
    }
    if (id === 'tick') {
      this.options.tick(realm);
      return [];
    }
    return [{ type: 'heartbeat', id }];
  }

  private pause(ms: number): Promise<void> {
    return new Promise((resolve) => this.options.clock.setTimeout(resolve, ms));
  }
}

function end(ticket: Ticket): void {
  ticket.ended = true;
  ticket.held?.end();
}

function toRecord(request: PollRequest, answer: LiveQueue): QueueRecord {
  return {
    id: request.queueId,
    realm: request.realm,
    owner: request.owner,
    user: answer.user === '' ? null : Number(answer.user),
    roles: answer.roles === '' ? [] : answer.roles.split(','),
    start: answer.start,
    filter: JSON.parse(answer.filter) as Record<string, unknown>,
    capabilities: JSON.parse(answer.capabilities) as Record<string, unknown>,
  };
}
