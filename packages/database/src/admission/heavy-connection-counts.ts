/** Maximum number of connections that run heavy work of one user. Further heavy work of the user waits. */
const MAX_HEAVY_CONNECTIONS_PER_USER = 2;

/** Counts the connections that run heavy work, for each user. */
export class HeavyConnectionCounter {
  readonly #counts = new Map<string, number>();

  /**
   * Increments the number of heavy connections of a user. Does not count work of the service itself, which has no user.
   */
  addHeavyConnection(user: string | undefined): void {
    if (user !== undefined) this.#counts.set(user, (this.#counts.get(user) ?? 0) + 1);
  }

  /**
   * Decrements the number of heavy connections of a user, after an earlier call of {@link addHeavyConnection} has
   * incremented it.
   */
  removeHeavyConnection(user: string | undefined): void {
    if (user === undefined) return;
    const rest = (this.#counts.get(user) ?? 0) - 1;
    if (rest > 0) this.#counts.set(user, rest);
    else this.#counts.delete(user);
  }

  /** Returns true if the user already has the maximum number of heavy connections. */
  hasMaxHeavyConnections(user: string | undefined): boolean {
    return (
      this.#counts.size > 0 && user !== undefined && (this.#counts.get(user) ?? 0) >= MAX_HEAVY_CONNECTIONS_PER_USER
    );
  }
}
