import { ConnectionWaitTimeoutError } from './admission-timeout-error.js';
import type { DatabaseConnectionActivity } from './connection-activity.js';
import { FairUserWorkQueue } from './fair-user-queue.js';
import { HeavyConnectionCounter } from './heavy-connection-counts.js';
import {
  MIN_POOL_SIZE_FOR_DIVISION,
  divideConnectionsAmongWorkClasses,
  type MaxConnectionsByWorkClass,
} from './connection-shares.js';
import type { DatabaseConnectionPermit } from './connection-ticket.js';
import { type DatabaseWorkClass, databaseWorkClasses, type DatabaseWorkClassAndUser } from './database-workload.js';

/**
 * Running time in milliseconds after which a statement is a heavy statement. Its connection then counts toward the
 * share of heavy work.
 */
const HEAVY_STATEMENT_THRESHOLD_MS = 100;

/**
 * Interval in milliseconds at which the durations of running statements are checked while database work waits for a
 * connection.
 */
const STATEMENT_CHECK_INTERVAL_MS = 25;

/** Maximum times that database work waits for a connection, in milliseconds; 0 for no limit. */
export interface ConnectionWaitLimits {
  /** Maximum wait for a connection in milliseconds, for short work and for authentication; 0 for no limit. */
  readonly shortMs: number;
  readonly heavyMs: number;
  readonly backgroundMs: number;
}

/**
 * Numbers for one class of database work: its connections in use, and the pieces of work that wait for a connection.
 */
export interface DatabaseWorkClassCounts {
  readonly inUse: number;
  readonly waiting: number;
  /** Number of waits for a connection that have reached their time limit since the start of the process. */
  readonly expired: number;
}

/** A piece of database work that waits for a connection. */
export interface WaitingDatabaseWork {
  readonly kind: DatabaseWorkClass;
  readonly user: string | undefined;
  timer?: NodeJS.Timeout;
  /**
   * Callback that is called once when the wait for a connection ends. The arguments are either the ticket for a
   * connection, or the error because no connection is available.
   */
  readonly onWaitEnd: (error: Error | undefined, ticket: DatabaseConnectionPermit | undefined) => void;
}

/**
 * Decides which database work gets the next connection of a pool. Each class of work has a share of the connections.
 * Within a class, users get connections in turn. While short work or authentication waits, a connection of that class
 * whose statement has run for 100 ms counts as heavy. The class then gets an additional connection, up to the size of
 * the pool. Other classes never use the shares of authentication and background work. A user with two heavy connections
 * gets no third connection for heavy work. For short work, a user with two heavy connections gets a connection only
 * while more than half of the short share is free.
 */
export class DatabaseConnectionAdmission {
  readonly #shares: MaxConnectionsByWorkClass;
  readonly #inUse: Record<DatabaseWorkClass, number> = { authentication: 0, short: 0, heavy: 0, background: 0 };
  readonly #expired: Record<DatabaseWorkClass, number> = { authentication: 0, short: 0, heavy: 0, background: 0 };
  readonly #queues: Readonly<Record<DatabaseWorkClass, FairUserWorkQueue<WaitingDatabaseWork>>>;
  readonly #heavyUsers = new HeavyConnectionCounter();
  #connectionsInUse = 0;
  #waitingCount = 0;
  #checkTimer: NodeJS.Timeout | undefined;

  /**
   * @param size maximum number of connections
   * @param activities running statements by connection
   */
  constructor(
    private readonly size: number,
    private readonly limits: ConnectionWaitLimits,
    private readonly activities: ReadonlyMap<unknown, DatabaseConnectionActivity>,
  ) {
    this.#shares = divideConnectionsAmongWorkClasses(size);
    const queue = (): FairUserWorkQueue<WaitingDatabaseWork> => new FairUserWorkQueue();
    this.#queues = { authentication: queue(), short: queue(), heavy: queue(), background: queue() };
  }

  /** Number of pieces of database work that wait for a connection, in all classes of work. */
  get waitingWorkCount(): number {
    return this.#waitingCount;
  }

  /** Returns the numbers of connections in use and of waiting pieces of work for one class of database work. */
  getWorkClassCounts(kind: DatabaseWorkClass): DatabaseWorkClassCounts {
    return { inUse: this.#inUse[kind], waiting: this.#queues[kind].waitingWorkCount, expired: this.#expired[kind] };
  }

  /**
   * Returns a ticket (permission to use a connection) if a connection is free for the given database work. Otherwise
   * returns undefined.
   */
  tryAdmitWork({ kind, user }: DatabaseWorkClassAndUser): DatabaseConnectionPermit | undefined {
    // If a connection is free, no waiting work is eligible for it, so new work overtakes none.
    if (this.#availableConnections(kind) <= 0) this.#markHeavyConnections(kind);
    return this.#availableConnections(kind) > 0 && this.#isEligible(kind, user) ? this.#admit(kind, user) : undefined;
  }

  /** Adds database work that {@link tryAdmitWork} did not admit to the queue of its class. Returns the waiting work. */
  enqueueWork({ kind, user }: DatabaseWorkClassAndUser, done: WaitingDatabaseWork['onWaitEnd']): WaitingDatabaseWork {
    const waiter: WaitingDatabaseWork = { kind, user, onWaitEnd: done };
    const limitMs = this.#waitLimitMsOf(kind);
    if (limitMs > 0) waiter.timer = setTimeout(() => this.#expireWait(waiter, limitMs), limitMs).unref();
    this.#queues[kind].addUserWork(waiter);
    this.#waitingCount += 1;
    this.#checkTimer ??= setInterval(() => this.#markHeavyConnections(), STATEMENT_CHECK_INTERVAL_MS).unref();
    return waiter;
  }

  /** Removes waiting database work from the queue, and ends the wait for a connection with `error`. */
  rejectWaitingWork(waiter: WaitingDatabaseWork, error: Error): void {
    this.#queues[waiter.kind].removeUserWork(waiter);
    this.#endWait(waiter, error, undefined);
  }

  /** Ends the use of a connection, so that other database work can use it. */
  releaseConnectionTicket(ticket: DatabaseConnectionPermit): void {
    this.#connectionsInUse -= 1;
    this.#inUse[ticket.kind] -= 1;
    if (ticket.kind === 'heavy') this.#heavyUsers.removeHeavyConnection(ticket.user);
    if (this.#waitingCount > 0) this.#admitWaiting();
  }

  #admit(kind: DatabaseWorkClass, user: string | undefined): DatabaseConnectionPermit {
    this.#connectionsInUse += 1;
    this.#inUse[kind] += 1;
    if (kind === 'heavy') this.#heavyUsers.addHeavyConnection(user);
    return { kind, user };
  }

  /**
   * Returns the number of connections that a class of work may use now. The number is the free part of the class's
   * share, limited by the free connections of the pool that no other class reserves.
   */
  #availableConnections(kind: DatabaseWorkClass): number {
    const own = this.#shares[kind] - this.#inUse[kind];
    return Math.min(
      own,
      this.size -
        this.#connectionsInUse -
        this.#reservedConnections('authentication', kind) -
        this.#reservedConnections('background', kind),
    );
  }

  #reservedConnections(kind: DatabaseWorkClass, requestingClass: DatabaseWorkClass): number {
    if (kind === requestingClass || this.size < MIN_POOL_SIZE_FOR_DIVISION) return 0;
    return Math.max(0, this.#shares[kind] - this.#inUse[kind]);
  }

  /** Returns true if work of the given user may use one of the connections that are free for a class of work. */
  #isEligible(kind: DatabaseWorkClass, user: string | undefined): boolean {
    if (kind === 'heavy') return !this.#heavyUsers.hasMaxHeavyConnections(user);
    if (kind !== 'short' || !this.#heavyUsers.hasMaxHeavyConnections(user)) return true;
    return this.#availableConnections(kind) > this.#shares.short / 2;
  }

  /** Assigns free connections to database work that waits for a connection. */
  #admitWaiting(): void {
    for (const kind of databaseWorkClasses) {
      const queue = this.#queues[kind];
      while (queue.waitingWorkCount > 0 && this.#availableConnections(kind) > 0) {
        const waiter = queue.removeNextEligibleWork((user) => this.#isEligible(kind, user));
        if (waiter === undefined) break;
        this.#endWait(waiter, undefined, this.#admit(kind, waiter.user));
      }
    }
  }

  /**
   * Reclassifies connections with a long-running statement as heavy, and assigns free connections to waiting work. Only
   * connections of classes with waiting work are checked. In other classes, a reclassified connection would needlessly
   * use the share of heavy work.
   *
   * @param requestingClass class of work that requests a connection and is not queued yet
   */
  #markHeavyConnections(requestingClass?: DatabaseWorkClass): void {
    const now = performance.now();
    let isChanged = false;
    for (const activity of this.activities.values()) {
      const { connectionTicket: ticket } = activity;
      if (ticket === undefined || (ticket.kind !== 'short' && ticket.kind !== 'authentication')) continue;
      if (ticket.kind !== requestingClass && this.#queues[ticket.kind].waitingWorkCount === 0) continue;
      if (activity.getRunningStatementDurationMs(now) < HEAVY_STATEMENT_THRESHOLD_MS) continue;
      this.#inUse[ticket.kind] -= 1;
      this.#inUse.heavy += 1;
      ticket.kind = 'heavy';
      this.#heavyUsers.addHeavyConnection(ticket.user);
      isChanged = true;
    }
    if (isChanged && this.#waitingCount > 0) this.#admitWaiting();
  }

  #waitLimitMsOf(kind: DatabaseWorkClass): number {
    if (kind === 'heavy') return this.limits.heavyMs;
    return kind === 'background' ? this.limits.backgroundMs : this.limits.shortMs;
  }

  #expireWait(waiter: WaitingDatabaseWork, limitMs: number): void {
    this.#expired[waiter.kind] += 1;
    this.rejectWaitingWork(waiter, new ConnectionWaitTimeoutError(waiter.kind, limitMs));
  }

  #endWait(waiter: WaitingDatabaseWork, error: Error | undefined, ticket: DatabaseConnectionPermit | undefined): void {
    clearTimeout(waiter.timer);
    this.#waitingCount -= 1;
    if (this.#waitingCount === 0) {
      clearInterval(this.#checkTimer);
      this.#checkTimer = undefined;
    }
    waiter.onWaitEnd(error, ticket);
  }
}
