/** Number of uses after which a statement is prepared. A rarely used statement is not worth the server's memory. */
const USES_BEFORE_PREPARATION = 5;

/** Maximum number of statements with names. When it is reached, names are assigned again. */
const MAX_STATEMENT_NAMES = 1_000;

/** Maximum total length of the statements with names, in characters. When it is reached, names are assigned again. */
const MAX_NAMED_STATEMENT_CHARACTERS = 16 * 1024 * 1024;

/** Maximum total length of the statements that one connection prepares before it is replaced, in characters. */
const MAX_PREPARED_CHARACTERS_PER_CONNECTION = 1024 * 1024;

/** Maximum length of a statement that gets a name, in characters. */
const MAX_PREPARED_STATEMENT_CHARACTERS = MAX_PREPARED_CHARACTERS_PER_CONNECTION / 2;

/** Maximum number of statements whose uses are counted. When it is reached, counting starts again. */
const MAX_COUNTED_STATEMENTS = 2_000;

/** Maximum total length of the statements whose uses are counted, in characters. */
const MAX_COUNTED_STATEMENT_CHARACTERS = 8 * 1024 * 1024;

/**
 * Assigns names to frequent statements, under which PostgreSQL parses and plans them once per connection. A name is
 * never used for another text. Clients influence the texts, so that the names are limited.
 */
export class PreparedStatementNames {
  private readonly useCountByText = new Map<string, number>();
  private readonly nameByText = new Map<string, string>();
  private countedCharacters = 0;
  private namedCharacters = 0;
  private assignedCount = 0;

  /** Counts a use of a statement and returns the name under which to prepare it; undefined while it is not frequent. */
  countUseAndGetName(text: string): string | undefined {
    const name = this.nameByText.get(text);
    if (name !== undefined || text.length > MAX_PREPARED_STATEMENT_CHARACTERS) return name;
    const known = this.useCountByText.get(text);
    if (known === undefined) {
      this.startCountingUses(text);
      return undefined;
    }
    if (known + 1 < USES_BEFORE_PREPARATION) {
      this.useCountByText.set(text, known + 1);
      return undefined;
    }
    this.useCountByText.delete(text);
    this.countedCharacters -= text.length;
    return this.assignName(text);
  }

  private assignName(text: string): string {
    if (
      this.nameByText.size >= MAX_STATEMENT_NAMES ||
      this.namedCharacters + text.length > MAX_NAMED_STATEMENT_CHARACTERS
    ) {
      this.nameByText.clear();
      this.namedCharacters = 0;
    }
    this.assignedCount += 1;
    this.namedCharacters += text.length;
    const name = `auto_${this.assignedCount}`;
    this.nameByText.set(text, name);
    return name;
  }

  private startCountingUses(text: string): void {
    const isFull = this.countedCharacters + text.length > MAX_COUNTED_STATEMENT_CHARACTERS;
    if (isFull || this.useCountByText.size >= MAX_COUNTED_STATEMENTS) {
      this.useCountByText.clear();
      this.countedCharacters = 0;
    }
    this.useCountByText.set(text, 1);
    this.countedCharacters += text.length;
  }
}

/**
 * Prepared statements of one connection. The server needs some 80 bytes for each character of their texts until the
 * connection is closed.
 */
export class ConnectionPreparedStatements {
  private readonly names = new Set<string>();
  private characters = 0;

  /** True if the statements are so long that the connection must be replaced. */
  get isLengthLimitExceeded(): boolean {
    return this.characters > MAX_PREPARED_CHARACTERS_PER_CONNECTION;
  }

  /** Records that a statement is sent under its name. */
  recordPreparedStatement(name: string, text: string): void {
    if (this.names.has(name)) return;
    this.names.add(name);
    this.characters += text.length;
  }
}
