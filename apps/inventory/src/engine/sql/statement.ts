import type { Sql } from './pieces.js';

/** Collects the values of a statement while its text is made. */
export class Parameters {
  readonly values: unknown[] = [];

  /** Adds a value and returns its placeholder, with its type if the context requires one. */
  add(value: unknown, type?: string): Sql {
    this.values.push(value);
    return `$${this.values.length}${type === undefined ? '' : `::${type}`}`;
  }

  /** Runs `make`, and removes its values on failure, because PostgreSQL rejects unused parameters. */
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

/** Maximum number of cached texts; then the cache starts again. */
const MOST_TEXTS = 1000;
const texts = new Map<Sql, Map<string, Sql>>();
let textsKept = 0;

/**
 * `before`, `shape` and `after` as one text, and the same string each time: to make one of some ten thousand characters
 * again, and to find it by them, takes longer than anything else that is done for a page.
 *
 * @param shape a string that is kept by whoever made it
 */
export function around(before: Sql, shape: Sql, after: Sql): Sql {
  // What no text of SQL holds: parts that are split elsewhere are other parts.
  const rest = `${before}\0${after}`;
  const known = texts.get(shape)?.get(rest);
  if (known !== undefined) return known;
  const made = before + shape + after;
  // Clients choose the shapes (`fields`, filters): one who tries thousands takes the room of those that come often.
  if (textsKept >= MOST_TEXTS) {
    texts.clear();
    textsKept = 0;
  }
  textsKept += 1;
  const ofShape = texts.get(shape) ?? new Map<string, Sql>();
  texts.set(shape, ofShape.set(rest, made));
  return made;
}

/** A query object for the pool, which prepares by name what comes often; rows as arrays. */
export interface PreparedQuery {
  text: Sql;
  values: unknown[];
  rowMode: 'array';
  planned?: 'each time';
}

/** See {@link PreparedQuery}. */
export function prepared(text: Sql, values: unknown[]): PreparedQuery {
  return { text, values, rowMode: 'array' };
}

/** Query that is planned for its values each time. */
export function planned(text: Sql, values: unknown[]): PreparedQuery {
  return { text, values, rowMode: 'array', planned: 'each time' };
}
