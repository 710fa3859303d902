import { AdmissionTimeoutError } from './admission-timeout.js';
import type { ConnectionActivity } from './connection-activity.js';
import { FairQueue } from './fair-queue.js';
import { HeavyUsers } from './heavy-users.js';
import { SMALLEST_DIVIDED, sharesOf, type Shares } from './shares.js';
import type { Ticket } from './ticket.js';
import { type WorkClass, workClasses, type Workload } from './workload.js';

/** Running time after which a statement's connection counts as heavy, in milliseconds. */
const HEAVY_AFTER_MS = 100;

/** Interval at which running statements are checked while work waits for a connection, in milliseconds. */
const CHECK_MS = 25;

/** Maximum times that database work waits for a connection, in milliseconds; 0 means no limit. */
export interface WaitLimits {
  /** Maximum wait of short work and authentication. */
  readonly shortMs: number;
  readonly heavyMs: number;
  readonly backgroundMs: number;
}

/** Numbers of connections and of waiting pieces of work in one class of database work. */
export interface ClassFigures {
  readonly inUse: number;
  readonly waiting: number;
  /** Number of waits that reached their time limit since the start. */
  readonly expired: number;
}

/** A piece of database work that waits for a connection. */
export interface Waiter {
  readonly kind: WorkClass;
  readonly user: string | undefined;
  timer?: NodeJS.Timeout;
  /** Called once when the wait ends, with the ticket for a connection or the reason why there is none. */
  readonly done: (error: Error | undefined, ticket: Ticket | undefined) => void;
}

/**
 * Decides which database work gets the next connection of a pool. Each class of work has a share of the connections,
 * and within a class users take turns. While short work or authentication waits, connections of that class whose
 * statement has run for 100 ms count as heavy, and the class gets other connections for them, up to the size of the
 * pool. Shares of authentication and background work are never lent. A user with two heavy connections gets no third
 * one for heavy work, and gets one for short work only while more than half of the short share is free.
 */
export class Admission {
  readonly #shares: Shares;
  readonly #inUse: Record<WorkClass, number> = { authentication: 0, short: 0, heavy: 0, background: 0 };
  readonly #expired: Record<WorkClass, number> = { authentication: 0, short: 0, heavy: 0, background: 0 };
  readonly #queues: Readonly<Record<WorkClass, FairQueue<Waiter>>>;
  readonly #heavyUsers = new HeavyUsers();
  #total = 0;
  #waiting = 0;
  #checking: NodeJS.Timeout | undefined;

  /**
   * @param size maximum number of connections
   * @param activities running statements by connection
   */
  constructor(
    private readonly size: number,
    private readonly limits: WaitLimits,
    private readonly activities: ReadonlyMap<unknown, ConnectionActivity>,
  ) {
    this.#shares = sharesOf(size);
    const queue = (): FairQueue<Waiter> => new FairQueue();
    this.#queues = { authentication: queue(), short: queue(), heavy: queue(), background: queue() };
  }

  /** Number of pieces of work that wait for a connection, in all classes. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Returns the numbers of connections and of waiting work of one class. */
  figures(kind: WorkClass): ClassFigures {
    return { inUse: this.#inUse[kind], waiting: this.#queues[kind].size, expired: this.#expired[kind] };
  }

  /** Admits database work if a connection is free for it. Otherwise returns undefined. */
  enter({ kind, user }: Workload): Ticket | undefined {
    // If a connection is free, no waiting work is eligible for it, so new work overtakes none.
    if (this.#room(kind) <= 0) this.#check(kind);
    return this.#room(kind) > 0 && this.#isEligible(kind, user) ? this.#admit(kind, user) : undefined;
  }

  /** Queues database work that {@link enter} did not admit. */
  wait({ kind, user }: Workload, done: Waiter['done']): Waiter {
    const waiter: Waiter = { kind, user, done };
    const limitMs = this.#limitOf(kind);
    if (limitMs > 0) waiter.timer = setTimeout(() => this.#expire(waiter, limitMs), limitMs).unref();
    this.#queues[kind].add(waiter);
    this.#waiting += 1;
    this.#checking ??= setInterval(() => this.#check(), CHECK_MS).unref();
    return waiter;
  }

  /** Removes waiting work from its queue and rejects it with `error`. */
  giveUp(waiter: Waiter, error: Error): void {
    this.#queues[waiter.kind].remove(waiter);
    this.#settle(waiter, error, undefined);
  }

  /** Ends the use of a connection, which is then free for other work. */
  leave(ticket: Ticket): void {
    this.#total -= 1;
    this.#inUse[ticket.kind] -= 1;
    if (ticket.kind === 'heavy') this.#heavyUsers.remove(ticket.user);
    if (this.#waiting > 0) this.#serve();
  }

  #admit(kind: WorkClass, user: string | undefined): Ticket {
    this.#total += 1;
    this.#inUse[kind] += 1;
    if (kind === 'heavy') this.#heavyUsers.add(user);
    return { kind, user };
  }

  /**
   * Returns the number of connections that a class may use in addition. It is limited by the share of the class, and by
   * the pool without the connections reserved for other classes.
   */
  #room(kind: WorkClass): number {
    const own = this.#shares[kind] - this.#inUse[kind];
    return Math.min(
      own,
      this.size - this.#total - this.#reserved('authentication', kind) - this.#reserved('background', kind),
    );
  }

  #reserved(kind: WorkClass, asker: WorkClass): number {
    if (kind === asker || this.size < SMALLEST_DIVIDED) return 0;
    return Math.max(0, this.#shares[kind] - this.#inUse[kind]);
  }

  /** Returns true if work of a user may use one of the connections that are free for a class. */
  #isEligible(kind: WorkClass, user: string | undefined): boolean {
    if (kind === 'heavy') return !this.#heavyUsers.isFull(user);
    if (kind !== 'short' || !this.#heavyUsers.isFull(user)) return true;
    return this.#room(kind) > this.#shares.short / 2;
  }

  /** Gives free connections to waiting work. */
  #serve(): void {
    for (const kind of workClasses) {
      const queue = this.#queues[kind];
      while (queue.size > 0 && this.#room(kind) > 0) {
        const waiter = queue.take((user) => this.#isEligible(kind, user));
        if (waiter === undefined) break;
        this.#settle(waiter, undefined, this.#admit(kind, waiter.user));
      }
    }
  }

  /**
   * Marks connections with a long-running statement as heavy, and gives free connections to waiting work. Only classes
   * with waiting work are checked: otherwise such a connection would needlessly count against heavy work.
   *
   * @param asking class of work that requests a connection and is not queued yet
   */
  #check(asking?: WorkClass): void {
    const now = performance.now();
    let isChanged = false;
    for (const activity of this.activities.values()) {
      const { ticket } = activity;
      if (ticket === undefined || (ticket.kind !== 'short' && ticket.kind !== 'authentication')) continue;
      if (ticket.kind !== asking && this.#queues[ticket.kind].size === 0) continue;
      if (activity.runningMs(now) < HEAVY_AFTER_MS) continue;
      this.#inUse[ticket.kind] -= 1;
      this.#inUse.heavy += 1;
      ticket.kind = 'heavy';
      this.#heavyUsers.add(ticket.user);
      isChanged = true;
    }
    if (isChanged && this.#waiting > 0) this.#serve();
  }

  #limitOf(kind: WorkClass): number {
    if (kind === 'heavy') return this.limits.heavyMs;
    return kind === 'background' ? this.limits.backgroundMs : this.limits.shortMs;
  }

  #expire(waiter: Waiter, limitMs: number): void {
    this.#expired[waiter.kind] += 1;
    this.giveUp(waiter, new AdmissionTimeoutError(waiter.kind, limitMs));
  }

  #settle(waiter: Waiter, error: Error | undefined, ticket: Ticket | undefined): void {
    clearTimeout(waiter.timer);
    this.#waiting -= 1;
    if (this.#waiting === 0) {
      clearInterval(this.#checking);
      this.#checking = undefined;
    }
    waiter.done(error, ticket);
  }
}
