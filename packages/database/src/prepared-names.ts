/** Uses of a text before it is prepared: rare ones are not worth server memory. */
const USES = 5;

/** Texts that are prepared at most, over all connections of a process; the server keeps each a connection. */
const MOST_NAMES = 1_000;

/** Maximum number of counted texts; then counting starts again. */
const MOST_COUNTED = 2_000;

/**
 * Names for statements that come again and again, so that PostgreSQL parses and plans them once a connection.
 * Equal texts get equal names.
 */
export class PreparedNames {
  private readonly uses = new Map<string, number>();
  private readonly names = new Map<string, string>();

  /** The name to prepare this text under, now that it is used once more; undefined while it is not worth it. */
  nameOf(text: string): string | undefined {
    const name = this.names.get(text);
    if (name !== undefined || this.names.size >= MOST_NAMES) return name;
    const uses = (this.uses.get(text) ?? 0) + 1;
    if (uses < USES) {
      if (this.uses.size >= MOST_COUNTED) this.uses.clear();
      this.uses.set(text, uses);
      return undefined;
    }
    this.uses.delete(text);
    const given = `auto_${this.names.size + 1}`;
    this.names.set(text, given);
    return given;
  }
}
