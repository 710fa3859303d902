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
const texts = new Map<Sql, Map<string, Sql>>();
let textsKept = 0;

/**
 * `before`, `shape` and `after` as one text, and the same string each time: to make one of some ten thousand characters
 * anew, and to find it by them, takes longer than anything else that is done for a page.
 *
 * @param shape a string that is kept by whoever made it
 */
export function around(before: Sql, shape: Sql, after: Sql): Sql {
  // What no text of SQL holds: parts that are split elsewhere are other parts.
  const rest = `${before}\0${after}`;
  const known = texts.get(shape)?.get(rest);
  if (known !== undefined) return known;
  const made = before + shape + after;
  if (textsKept >= mostNames) return made;
  textsKept += 1;
  const ofShape = texts.get(shape) ?? new Map<string, Sql>();
  texts.set(shape, ofShape.set(rest, made));
  return made;
}

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
