/** Maximum number of heavy connections of one user. Further heavy work of the user waits. */
const MAX_HEAVY_CONNECTIONS_PER_USER = 2;

/** Counts the connections that run heavy work, for each user. */
export class HeavyConnectionCounts {
  readonly #counts = new Map<string, number>();

  /** Counts a heavy connection of a user. Work of the service itself, without a user, is not counted. */
  addHeavyConnection(user: string | undefined): void {
    if (user !== undefined) this.#counts.set(user, (this.#counts.get(user) ?? 0) + 1);
  }

  /** Decrements a user's number of heavy connections, after {@link addHeavyConnection} has incremented it. */
  removeHeavyConnection(user: string | undefined): void {
    if (user === undefined) return;
    const rest = (this.#counts.get(user) ?? 0) - 1;
    if (rest > 0) this.#counts.set(user, rest);
    else this.#counts.delete(user);
  }

  /** Returns true if the user already has the maximum number of heavy connections. */
  isAtMaximum(user: string | undefined): boolean {
    return (
      this.#counts.size > 0 && user !== undefined && (this.#counts.get(user) ?? 0) >= MAX_HEAVY_CONNECTIONS_PER_USER
    );
  }
}
