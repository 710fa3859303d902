/** Number of uses after which a statement is prepared. A rarely used statement is not worth the server's memory. */
const USES_BEFORE_PREPARATION = 5;

/** Maximum number of different prepared statements in a process. The server stores each of them once per connection. */
const MAX_NAMES = 1_000;

/** Maximum total length of the prepared statements, in characters. */
const MAX_NAMED_CHARACTERS = 16 * 1024 * 1024;

/** Maximum number of statements whose uses are counted. When it is reached, counting starts again. */
const MAX_COUNTED_TEXTS = 2_000;

/** Maximum total length of the statements whose uses are counted, in characters. */
const MAX_COUNTED_CHARACTERS = 8 * 1024 * 1024;

/**
 * Assigns names to frequent statements, under which PostgreSQL parses and plans them once per connection. Equal texts
 * get equal names.
 */
export class PreparedNames {
  private readonly uses = new Map<string, number>();
  private readonly names = new Map<string, string>();
  private countedCharacters = 0;
  private namedCharacters = 0;

  /** Counts a use of a statement and returns the name under which to prepare it; undefined while it is not frequent. */
  nameOf(text: string): string | undefined {
    const name = this.names.get(text);
    if (name !== undefined || this.names.size >= MAX_NAMES) return name;
    if (this.namedCharacters + text.length > MAX_NAMED_CHARACTERS) return undefined;
    const known = this.uses.get(text);
    if (known === undefined) {
      this.startCounting(text);
      return undefined;
    }
    if (known + 1 < USES_BEFORE_PREPARATION) {
      this.uses.set(text, known + 1);
      return undefined;
    }
    this.uses.delete(text);
    this.countedCharacters -= text.length;
    this.namedCharacters += text.length;
    const given = `auto_${this.names.size + 1}`;
    this.names.set(text, given);
    return given;
  }

  private startCounting(text: string): void {
    const isFull = this.countedCharacters + text.length > MAX_COUNTED_CHARACTERS;
    if (isFull || this.uses.size >= MAX_COUNTED_TEXTS) {
      this.uses.clear();
      this.countedCharacters = 0;
    }
    this.uses.set(text, 1);
    this.countedCharacters += text.length;
  }
}
