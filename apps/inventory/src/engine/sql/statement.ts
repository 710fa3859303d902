import { createHash } from 'node:crypto';
import type { Sql } from './pieces.js';

/** Collects the values of a statement while its text is made. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Adds a value and answers its placeholder, with its type where the context leaves that open. */
  add(value: unknown, type?: string): Sql {
    this.values.push(value);
    return `$${this.values.length}${type === undefined ? '' : `::${type}`}`;
  }

  /** Runs `make`, and takes back the values it added when it fails: PostgreSQL refuses those that no text names. */
  attempt<R>(make: () => R): R {
    const before = this.values.length;
    try {
      return make();
    } catch (error) {
      this.values.length = before;
      throw error;
    }
  }
}

const mostNames = 1000;
const names = new Map<string, string>();

/**
 * The name under which a connection keeps the statement prepared; undefined once a thousand shapes are named, because
 * PostgreSQL keeps a named statement as long as the connection lives and clients choose the shapes (`fields`, filters).
 */
export function statementName(textOfStatement: Sql): string | undefined {
  const known = names.get(textOfStatement);
  if (known !== undefined) return known;
  if (names.size >= mostNames) return undefined;
  const name = `i_${createHash('sha1').update(textOfStatement).digest('base64url')}`;
  names.set(textOfStatement, name);
  return name;
}

/** A query object for the pool: prepared by name where possible, rows as arrays. */
export interface PreparedQuery {
  name?: string;
  text: Sql;
  values: unknown[];
  rowMode: 'array';
}

/** See {@link PreparedQuery}. */
export function prepared(textOfStatement: Sql, values: unknown[]): PreparedQuery {
  const name = statementName(textOfStatement);
  return { ...(name === undefined ? {} : { name }), text: textOfStatement, values, rowMode: 'array' };
}

/** A query that keeps no plan: PostgreSQL makes one for these very values. */
export function planned(text: Sql, values: unknown[]): PreparedQuery {
  return { text, values, rowMode: 'array' };
}
