import type { SqlText } from './json-text-sql.js';

/** Collects the parameter values of an SQL statement while the text of the statement is being built. */
export class SqlParameters {
  readonly values: unknown[] = [];

  /**
   * Adds a parameter value to the SQL statement. Returns the placeholder of the parameter, with a cast to `type` if
   * `type` is given.
   */
  add(value: unknown, type?: string): SqlText {
    this.values.push(value);
    return `$${this.values.length}${type === undefined ? '' : `::${type}`}`;
  }

  /**
   * Runs `make` and returns its result. If `make` throws an error, removes the parameter values that `make` added,
   * because PostgreSQL rejects unused parameters.
   */
  addParametersWithRollback<R>(make: () => R): R {
    const before = this.values.length;
    try {
      return make();
    } catch (error) {
      this.values.length = before;
      throw error;
    }
  }
}

/**
 * Maximum total length of the cached SQL texts, in characters. The cache is emptied when the total length would exceed
 * the maximum.
 */
const MAX_CACHED_SQL_CHARACTERS = 16 * 1024 * 1024;
const cachedSqlTextsByShape = new Map<SqlText, Map<string, SqlText>>();
let cachedSqlCharacterCount = 0;

/**
 * Returns the SQL text `before + shape + after`, cached so that equal arguments give the same string object. Without
 * the cache, concatenating and hashing ten thousand characters would take longer than all other work for a page.
 *
 * @param shape a string object that the caller retains
 */
export function getCachedSqlText(before: SqlText, shape: SqlText, after: SqlText): SqlText {
  // The null character occurs in no SQL text, so that parts split at another position get another key.
  const rest = `${before}\0${after}`;
  const known = cachedSqlTextsByShape.get(shape)?.get(rest);
  if (known !== undefined) return known;
  const made = before + shape + after;
  // Clients influence shapes by `fields` and filters, so that the cache needs a limit.
  const characters = rest.length + made.length;
  if (cachedSqlCharacterCount + characters > MAX_CACHED_SQL_CHARACTERS) {
    cachedSqlTextsByShape.clear();
    cachedSqlCharacterCount = 0;
  }
  cachedSqlCharacterCount += characters;
  const ofShape = cachedSqlTextsByShape.get(shape) ?? new Map<string, SqlText>();
  cachedSqlTextsByShape.set(shape, ofShape.set(rest, made));
  return made;
}

/** An SQL query whose rows are returned as arrays. The connection pool prepares frequent queries by name. */
export interface SqlQueryOfArrayRows {
  text: SqlText;
  values: unknown[];
  rowMode: 'array';
  planned?: 'each time';
}

/** Returns an SQL query that the connection pool may prepare. */
export function createPreparedQuery(text: SqlText, values: unknown[]): SqlQueryOfArrayRows {
  return { text, values, rowMode: 'array' };
}

/** Returns an SQL query that PostgreSQL plans anew at each execution, for the parameter values of that execution. */
export function createReplannedQuery(text: SqlText, values: unknown[]): SqlQueryOfArrayRows {
  return { text, values, rowMode: 'array', planned: 'each time' };
}
