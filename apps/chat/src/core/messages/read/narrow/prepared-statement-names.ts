import { createHash } from 'node:crypto';
import type { SqlStatement } from '@switchboard/database';

/**
 * Maximum number of prepared statements for generated SQL texts. Every connection stores all these statements in the
 * process and in the database server.
 */
const maxPreparedStatementTexts = 200;

/**
 * Assigns names to statements with generated texts, so that each connection prepares them once. The number of names is
 * limited, because requests determine the texts. PostgreSQL plans a statement without a name at each execution.
 */
export class PreparedStatementNames {
  readonly #names = new Map<string, string>();

  constructor(private readonly prefix: string) {}

  /**
   * Returns an SQL statement with the given text. Assigns a name to the statement unless the maximum number of names is
   * reached.
   */
  createNamedStatement(text: string): SqlStatement {
    const known = this.#names.get(text);
    if (known !== undefined) return { name: known, text };
    if (this.#names.size >= maxPreparedStatementTexts) return { text, planned: 'each time' };
    // Two versions of the service may share connections through a pooler, so equal names must mean equal texts.
    const name = `${this.prefix}-${createHash('sha256').update(text).digest('base64url').slice(0, 22)}`;
    this.#names.set(text, name);
    return { name, text };
  }
}
