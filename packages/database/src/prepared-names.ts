/** Number of uses after which a statement is prepared. A rarely used statement is not worth the server's memory. */
const USES_BEFORE_PREPARATION = 5;

/** Maximum number of different prepared statements in a process. The server stores each of them once per connection. */
const MAX_NAMES = 1_000;

/** Maximum number of statements whose uses are counted. When it is reached, counting starts again. */
const MAX_COUNTED_TEXTS = 2_000;

/**
 * Assigns names to frequent statements, under which PostgreSQL parses and plans them once per connection. Equal texts
 * get equal names.
 */
export class PreparedNames {
  private readonly uses = new Map<string, number>();
  private readonly names = new Map<string, string>();

  /** Counts a use of a statement and returns the name under which to prepare it; undefined while it is not frequent. */
  nameOf(text: string): string | undefined {
    const name = this.names.get(text);
    if (name !== undefined || this.names.size >= MAX_NAMES) return name;
    const uses = (this.uses.get(text) ?? 0) + 1;
    if (uses < USES_BEFORE_PREPARATION) {
      if (this.uses.size >= MAX_COUNTED_TEXTS) this.uses.clear();
      this.uses.set(text, uses);
      return undefined;
    }
    this.uses.delete(text);
    const given = `auto_${this.names.size + 1}`;
    this.names.set(text, given);
    return given;
  }
}
