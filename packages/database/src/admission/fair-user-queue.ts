/** A piece of work in a {@link FairUserWorkQueue}, which belongs to a user. */
export interface UserWork {
  readonly user: string | undefined;
}

/**
 * Queue of work that takes work of each user in turn. If one user has thirty waiting pieces of work, another user's
 * work waits for only one piece.
 */
export class FairUserWorkQueue<W extends UserWork> {
  /**
   * Waiting work by user, in the order in which users are served. Each user in the map has at least one piece of work.
   */
  readonly #workByUser = new Map<string | undefined, Set<W>>();
  #size = 0;

  /** Number of pieces of work that wait in the queue. */
  get waitingWorkCount(): number {
    return this.#size;
  }

  /** Appends a piece of work to the waiting work of the user to whom it belongs. */
  addUserWork(waiting: W): void {
    this.#size += 1;
    const own = this.#workByUser.get(waiting.user);
    if (own) own.add(waiting);
    else this.#workByUser.set(waiting.user, new Set([waiting]));
  }

  /** Removes a piece of work from the queue because it no longer waits. */
  removeUserWork(waiting: W): void {
    const own = this.#workByUser.get(waiting.user);
    if (!own?.delete(waiting)) return;
    this.#size -= 1;
    if (own.size === 0) this.#workByUser.delete(waiting.user);
  }

  /**
   * Removes and returns the oldest work of the next user for whom `isEligible` returns true. Returns undefined if there
   * is no such user.
   */
  removeNextEligibleWork(isEligible: (user: string | undefined) => boolean): W | undefined {
    for (const [user, own] of this.#workByUser) {
      if (!isEligible(user)) continue;
      const [first] = own;
      if (first === undefined) continue;
      this.removeUserWork(first);
      if (own.size > 0) {
        this.#workByUser.delete(user);
        this.#workByUser.set(user, own);
      }
      return first;
    }
    return undefined;
  }
}
