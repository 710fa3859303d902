import { setImmediate } from 'node:timers/promises';
import { isInAudience, type UserId } from './audience.js';
import type { EntryRenderingThrottle } from './entry-rendering-throttle.js';
import { LinkedList, type LinkedListMember } from './linked-list.js';
import type { LogEntry } from './log-entry.js';
import { MapWithReusableCollections } from './reused-collection-map.js';

/** A pending poll that gets the log entries whose audience includes its owner. */
export interface PollWaitingForLogEntries {
  readonly user: UserId | null;
  readonly roles: readonly string[];
  /**
   * Examines log entries in order. Returns true if the poll is a recipient of an entry in this call or an earlier call.
   * The caller must then call {@link complete} after the last entries. Never throws.
   */
  offerEntry(entries: readonly LogEntry[]): boolean;
  /** Responds to the client with the events of the entries that were passed to {@link offerEntry}. Never throws. */
  complete(): void;
  /**
   * Called when the log entries in memory, on which the poll relied, have been replaced. The poll then checks its
   * event queue again.
   */
  recheckQueue(): void;
}

/** Log entries that are delivered together, with the pending polls that may receive them. */
interface LogEntryDeliveryBatch {
  readonly waiters: readonly PollWaitingForLogEntries[];
  readonly entries: readonly LogEntry[];
  /** Log entries to deliver, by pending poll; null if all polls receive the same entries. */
  readonly own: ReadonlyMap<PollWaitingForLogEntries, readonly LogEntry[]> | null;
}

/**
 * Number of polls that are completed together, without a pause. A client process then finds several responses when it
 * wakes. In measurements, separate wakeups for each response took a third longer.
 */
const MAX_POLLS_COMPLETED_TOGETHER = 128;

/**
 * Maximum number of polls that are completed immediately after an entry is written. If there are more polls, all polls
 * wait for the next turn of the event loop. Before that turn, the entry is sent to the store and the writer gets its
 * response. Measurements showed that completing the first of many polls earlier delays the remaining polls.
 */
const MAX_IMMEDIATELY_COMPLETED_POLLS = 2;

const resolvedPromise = Promise.resolve();

const EMPTY_LOG_ENTRY_LIST: readonly LogEntry[] = [];
const EMPTY_POLL_INDEX_MEMBERS: readonly LinkedListMember<PollWaitingForLogEntries>[] = [];

/** Registration by which a pending poll receives the new log entries of its realm. */
export class WaitingPollRegistration {
  constructor(
    private readonly inAll: LinkedListMember<PollWaitingForLogEntries>,
    private readonly atUser: LinkedListMember<PollWaitingForLogEntries> | null,
    private readonly atRoles: readonly LinkedListMember<PollWaitingForLogEntries>[],
  ) {}

  /** Removes the poll from the pending polls of its realm. Further calls have no effect. */
  removePollFromRealm(): void {
    this.inAll.removeFromList();
    this.atUser?.removeFromList();
    for (const place of this.atRoles) place.removeFromList();
  }
}

/** Pending polls of one realm, indexed so that an entry for one user examines only that user's polls. */
export class WaitingPollsOfRealm {
  /**
   * Promise that resolves when the log entries being delivered have reached all polls; null if no delivery is running.
   * A new poll waits for the promise and then checks its event queue again.
   */
  delivering: Promise<void> | null = null;
  private readonly all = new LinkedList<PollWaitingForLogEntries>();
  private readonly byUser = createPollIndex<UserId>();
  private readonly byRole = createPollIndex<string>();
  private readonly batches: LogEntryDeliveryBatch[] = [];
  /** @param turns turns of the event loop that all polls of the process share */
  constructor(private readonly turns: EntryRenderingThrottle) {}

  get waitingPollCount(): number {
    return this.all.size;
  }

  addWaitingPoll(waiter: PollWaitingForLogEntries): WaitingPollRegistration {
    const { user, roles } = waiter;
    return new WaitingPollRegistration(
      this.all.appendValue(waiter),
      user === null ? null : this.byUser.getOrCreateCollection(user).appendValue(waiter),
      roles.length === 0
        ? EMPTY_POLL_INDEX_MEMBERS
        : roles.map((role) => this.byRole.getOrCreateCollection(role).appendValue(waiter)),
    );
  }

  /**
   * Passes new log entries, in order, to the polls that may receive them. Polls that are registered later do not
   * receive the entries. The delivery may continue after the call; {@link delivering} is set until the delivery ends.
   */
  deliverLogEntriesToPolls(entries: readonly LogEntry[]): void {
    if (this.all.size === 0) return;
    const batch = this.createDeliveryBatch(entries);
    if (batch.waiters.length === 0) return;
    this.batches.push(batch);
    this.delivering ??= this.offerAllBatchesToPolls();
  }

  recheckQueuesOfAllPolls(): void {
    for (const waiter of this.all.toArray()) waiter.recheckQueue();
  }

  private async offerAllBatchesToPolls(): Promise<void> {
    for (let batch = this.batches.shift(); batch; batch = this.batches.shift()) {
      if (batch.waiters.length > MAX_IMMEDIATELY_COMPLETED_POLLS) await setImmediate();
      await this.offerBatchToPolls(batch);
    }
    this.delivering = null;
  }

  /**
   * Passes a batch of log entries to the polls that may receive the entries, and completes each poll that receives an
   * event. Yields to the event loop after each maximum number of rendered entries.
   */
  private async offerBatchToPolls({ waiters, entries, own }: LogEntryDeliveryBatch): Promise<void> {
    let concerned: PollWaitingForLogEntries[] = [];
    const completeGroup = (): void => {
      for (const waiter of concerned) waiter.complete();
      concerned = [];
    };
    for (const [index, waiter] of waiters.entries()) {
      let rest = own?.get(waiter) ?? entries;
      let isConcerned = false;
      while (rest.length > 0) {
        if (this.turns.isTurnOver) {
          completeGroup();
          await this.turns.waitForNextTurn();
        }
        const part = this.turns.takeEntriesOfTurn(rest);
        isConcerned = waiter.offerEntry(part);
        rest = part === rest ? EMPTY_LOG_ENTRY_LIST : rest.slice(part.length);
      }
      if (isConcerned) concerned.push(waiter);
      if ((index + 1) % MAX_POLLS_COMPLETED_TOGETHER === 0) {
        completeGroup();
        // Lets pending promises settle: otherwise the first of thousands of clients would wait for the last.
        await resolvedPromise;
      }
    }
    completeGroup();
    await resolvedPromise;
  }

  private createDeliveryBatch(entries: readonly LogEntry[]): LogEntryDeliveryBatch {
    const [first] = entries;
    if (!first) return { waiters: [], entries, own: null };
    // Entries with one audience need no map: building one for thousands of polls takes as long as completing some of
    // them.
    if (entries.every(({ audience }) => audience === first.audience)) {
      return { waiters: this.listPollsThatMayReceive(first), entries, own: null };
    }
    const own = new Map<PollWaitingForLogEntries, LogEntry[]>();
    for (const entry of entries) {
      for (const waiter of this.listPollsThatMayReceive(entry)) {
        const offered = own.get(waiter);
        if (offered) offered.push(entry);
        else own.set(waiter, [entry]);
      }
    }
    return { waiters: [...own.keys()], entries: [], own };
  }

  private listPollsThatMayReceive({ audience }: LogEntry): readonly PollWaitingForLogEntries[] {
    const all = (): PollWaitingForLogEntries[] => this.all.toArray();
    if (audience.all) return all();
    if (audience.users.length > this.all.size) {
      return all().filter((waiter) => isInAudience(audience, waiter.user, waiter.roles));
    }
    // A set, because a waiter can match by user id and by role.
    const found = new Set<PollWaitingForLogEntries>();
    for (const user of audience.users) this.byUser.findCollection(user)?.addValuesToSet(found);
    for (const user of audience.userTexts) this.byUser.findCollection(user)?.addValuesToSet(found);
    for (const role of audience.roles) this.byRole.findCollection(role)?.addValuesToSet(found);
    return [...found];
  }
}

/** Pending polls by user id or by role. */
type PollIndex<K> = MapWithReusableCollections<K, LinkedList<PollWaitingForLogEntries>>;

const createPollIndex = <K>(): PollIndex<K> =>
  new MapWithReusableCollections(
    () => new LinkedList(),
    ({ size }) => size === 0,
  );
