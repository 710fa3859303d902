import type { LogEntry } from './log-entry.js';
import { audienceIncludes } from './audience.js';

/** A held poll. It is offered the entries it may be concerned by, then told that a batch of them is over. */
export interface Waiter {
  readonly user: number | null;
  readonly roles: readonly string[];
  offer(entry: LogEntry): void;
  /** Answers the client if anything offered was for it. */
  flush(): void;
  /** What the waiter relied on has changed: it asks Redis again. */
  recheck(): void;
}

/** Held polls of one realm, indexed so that an entry for one user touches that user's polls and no other. */
export class Waiters {
  private readonly all = new Set<Waiter>();
  private readonly byUser = new Map<number, Set<Waiter>>();
  private readonly byRole = new Map<string, Set<Waiter>>();

  get size(): number {
    return this.all.size;
  }

  add(waiter: Waiter): void {
    this.all.add(waiter);
    if (waiter.user !== null) insert(this.byUser, waiter.user, waiter);
    for (const role of waiter.roles) insert(this.byRole, role, waiter);
  }

  remove(waiter: Waiter): void {
    this.all.delete(waiter);
    if (waiter.user !== null) withdraw(this.byUser, waiter.user, waiter);
    for (const role of waiter.roles) withdraw(this.byRole, role, waiter);
  }

  /** Offers new entries, in order, to those they concern, and lets these answer. */
  deliver(entries: readonly LogEntry[]): void {
    if (this.all.size === 0) return;
    const touched = new Set<Waiter>();
    for (const entry of entries) {
      for (const waiter of this.concernedBy(entry)) {
        waiter.offer(entry);
        touched.add(waiter);
      }
    }
    for (const waiter of touched) waiter.flush();
  }

  recheckAll(): void {
    for (const waiter of this.all) waiter.recheck();
  }

  private concernedBy({ audience }: LogEntry): Iterable<Waiter> {
    if (audience.all) return this.all;
    if (audience.users.length > this.all.size) {
      return [...this.all].filter((waiter) => audienceIncludes(audience, waiter.user, waiter.roles));
    }
    const found = new Set<Waiter>();
    for (const user of audience.users) for (const waiter of this.byUser.get(user) ?? []) found.add(waiter);
    for (const role of audience.roles) for (const waiter of this.byRole.get(role) ?? []) found.add(waiter);
    return found;
  }
}

function insert<K>(index: Map<K, Set<Waiter>>, key: K, waiter: Waiter): void {
  const known = index.get(key);
  if (known) known.add(waiter);
  else index.set(key, new Set([waiter]));
}

function withdraw<K>(index: Map<K, Set<Waiter>>, key: K, waiter: Waiter): void {
  const known = index.get(key);
  known?.delete(waiter);
  if (known?.size === 0) index.delete(key);
}
