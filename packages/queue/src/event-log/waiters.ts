import { setImmediate } from 'node:timers/promises';
import { audienceIncludes } from './audience.js';
import type { LogEntry } from './log-entry.js';

/** A held poll. It is offered the entries that its owner is in the audience of. */
export interface Waiter {
  readonly user: number | null;
  readonly roles: readonly string[];
  /** Looks at these, in order. Whether any was for it, and {@link answer} is to follow. Never throws. */
  offer(entries: readonly LogEntry[]): boolean;
  /** Answers the client with what it was offered. Never throws. */
  answer(): void;
  /** What the waiter relied on has changed: it asks Redis again. */
  recheck(): void;
}

/** Entries on their way to those they concern. */
interface Batch {
  readonly waiters: readonly Waiter[];
  readonly entries: readonly LogEntry[];
  /** Those of each waiter, where they differ. */
  readonly own: ReadonlyMap<Waiter, readonly LogEntry[]> | null;
}

/**
 * Waiters that are answered in a row. Their clients wake with the first answer and find the others when they come for
 * them: answers that come one at a time wake the receiver each time, which was measured to take a third longer.
 */
const BURST = 128;

/**
 * So few are answered at once. Where more wait, all are answered when the loop has come round: the entry is on its way to
 * Redis by then and its writer has been told, which is decided in the same turn and would wait for thousands. To take the
 * first of many before that was measured to make the others later: their receivers and Redis wake together.
 */
const AT_ONCE = 2;

const nextTurn = Promise.resolve();

/** Held polls of one realm, indexed so that an entry for one user touches that user's polls and no other. */
export class Waiters {
  /** Settles when everything delivered so far was offered; null when it was. Who waits for it looks again. */
  delivering: Promise<void> | null = null;
  private readonly all = new Set<Waiter>();
  private readonly byUser = new Index<number>();
  private readonly byRole = new Index<string>();
  private readonly batches: Batch[] = [];

  get size(): number {
    return this.all.size;
  }

  add(waiter: Waiter): void {
    this.all.add(waiter);
    if (waiter.user !== null) this.byUser.add(waiter.user, waiter);
    for (const role of waiter.roles) this.byRole.add(role, waiter);
  }

  remove(waiter: Waiter): void {
    this.all.delete(waiter);
    if (waiter.user !== null) this.byUser.remove(waiter.user, waiter);
    for (const role of waiter.roles) this.byRole.remove(role, waiter);
  }

  /**
   * Offers new entries, in order, to those they concern. Who waits is decided now; the offers begin now and follow
   * while {@link delivering}.
   */
  deliver(entries: readonly LogEntry[]): void {
    if (this.all.size === 0) return;
    const batch = this.batchOf(entries);
    if (batch.waiters.length === 0) return;
    this.batches.push(batch);
    this.delivering ??= this.offerAll();
  }

  recheckAll(): void {
    for (const waiter of this.all) waiter.recheck();
  }

  private async offerAll(): Promise<void> {
    for (let batch = this.batches.shift(); batch; batch = this.batches.shift()) {
      const { length } = batch.waiters;
      if (length > AT_ONCE) await setImmediate();
      for (let from = 0; from < length; from += BURST) {
        offer(batch, from, from + BURST);
        // Lets those who wait by promises be answered: else the first of thousands has to wait for the last.
        await nextTurn;
      }
    }
    this.delivering = null;
  }

  private batchOf(entries: readonly LogEntry[]): Batch {
    const [first] = entries;
    if (!first) return { waiters: [], entries, own: null };
    // A map of thousands takes as long as answering some of them.
    if (entries.every(({ audience }) => audience === first.audience)) {
      return { waiters: [...this.concernedBy(first)], entries, own: null };
    }
    const own = new Map<Waiter, LogEntry[]>();
    for (const entry of entries) {
      for (const waiter of this.concernedBy(entry)) {
        const offered = own.get(waiter);
        if (offered) offered.push(entry);
        else own.set(waiter, [entry]);
      }
    }
    return { waiters: [...own.keys()], entries: [], own };
  }

  private concernedBy({ audience }: LogEntry): Iterable<Waiter> {
    if (audience.all) return this.all;
    if (audience.users.length > this.all.size) {
      return [...this.all].filter((waiter) => audienceIncludes(audience, waiter.user, waiter.roles));
    }
    const found = new Set<Waiter>();
    for (const user of audience.users) this.byUser.copy(user, found);
    for (const role of audience.roles) this.byRole.copy(role, found);
    return found;
  }
}

/** Looks at a batch on behalf of some of its waiters, and answers them. */
function offer({ waiters, entries, own }: Batch, from: number, end: number): void {
  const concerned = waiters.slice(from, end).filter((waiter) => waiter.offer(own?.get(waiter) ?? entries));
  for (const waiter of concerned) waiter.answer();
}

/** Waiters by what they share. A user has one poll as a rule, which needs no set of its own. */
class Index<K> {
  private readonly entries = new Map<K, Waiter | Set<Waiter>>();

  add(key: K, waiter: Waiter): void {
    const known = this.entries.get(key);
    if (!known) this.entries.set(key, waiter);
    else if (known instanceof Set) known.add(waiter);
    else this.entries.set(key, new Set([known, waiter]));
  }

  remove(key: K, waiter: Waiter): void {
    const known = this.entries.get(key);
    if (known instanceof Set) known.delete(waiter);
    if (known === waiter || (known instanceof Set && known.size === 0)) this.entries.delete(key);
  }

  copy(key: K, into: Set<Waiter>): void {
    const known = this.entries.get(key);
    if (known instanceof Set) for (const waiter of known) into.add(waiter);
    else if (known) into.add(known);
  }
}
