/**
 * Number of uses after which a statement gets a name and is prepared. A prepared statement uses memory of the server,
 * which is not worthwhile for a rare statement.
 */
const STATEMENT_USES_BEFORE_PREPARATION = 5;

/**
 * Maximum number of SQL texts with names for prepared statements. At this number, all names are discarded and assigned
 * again.
 */
const MAX_PREPARED_STATEMENT_NAMES = 1_000;

/**
 * Maximum total length in characters of the SQL texts with names for prepared statements. At this length, all names are
 * discarded and assigned again.
 */
const MAX_NAMED_STATEMENT_CHARACTERS = 16 * 1024 * 1024;

/**
 * Maximum total length in characters of the SQL texts that one connection prepares. The connection is replaced after
 * that.
 */
const MAX_PREPARED_CHARACTERS_PER_CONNECTION = 1024 * 1024;

/** Maximum length in characters of an SQL text that gets a name and is prepared. */
const MAX_PREPARED_STATEMENT_CHARACTERS = MAX_PREPARED_CHARACTERS_PER_CONNECTION / 2;

/** Maximum number of SQL texts whose uses are counted. At this number, all counts are discarded. */
const MAX_COUNTED_STATEMENTS = 2_000;

/**
 * Maximum total length in characters of the SQL texts whose uses are counted. At this length, all counts are discarded.
 */
const MAX_COUNTED_STATEMENT_CHARACTERS = 8 * 1024 * 1024;

/**
 * Assigns names to frequent SQL statements. PostgreSQL parses and plans a named statement once per connection. A name
 * is never used for another SQL text. The number of names is limited, because clients influence the SQL texts.
 */
export class PreparedStatementNameAssigner {
  private readonly useCountByText = new Map<string, number>();
  private readonly nameByText = new Map<string, string>();
  private countedCharacters = 0;
  private namedCharacters = 0;
  private assignedCount = 0;

  /**
   * Counts a use of an SQL statement and returns the name under which to prepare the statement. Returns undefined while
   * the statement is not frequent.
   */
  countUseAndGetName(text: string): string | undefined {
    const name = this.nameByText.get(text);
    if (name !== undefined || text.length > MAX_PREPARED_STATEMENT_CHARACTERS) return name;
    const known = this.useCountByText.get(text);
    if (known === undefined) {
      this.startCountingStatementUses(text);
      return undefined;
    }
    if (known + 1 < STATEMENT_USES_BEFORE_PREPARATION) {
      this.useCountByText.set(text, known + 1);
      return undefined;
    }
    this.useCountByText.delete(text);
    this.countedCharacters -= text.length;
    return this.assignStatementName(text);
  }

  private assignStatementName(text: string): string {
    if (
      this.nameByText.size >= MAX_PREPARED_STATEMENT_NAMES ||
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

  private startCountingStatementUses(text: string): void {
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
 * Prepared statements of one connection. For each character of the statements' SQL texts, the server uses about 80
 * bytes until the connection is closed.
 */
export class ConnectionPreparedStatements {
  private readonly names = new Set<string>();
  private characters = 0;

  /**
   * True if the total length of the connection's prepared statements exceeds the limit, so that the connection must be
   * replaced.
   */
  get isLengthLimitExceeded(): boolean {
    return this.characters > MAX_PREPARED_CHARACTERS_PER_CONNECTION;
  }

  /** Records that a statement was sent under a name on the connection. */
  recordPreparedStatement(name: string, text: string): void {
    if (this.names.has(name)) return;
    this.names.add(name);
    this.characters += text.length;
  }
}
