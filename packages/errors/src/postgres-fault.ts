import type { DatabaseFault, DatabaseFaultKind } from './database-fault.js';

const databaseFaultKindBySqlState: Readonly<Record<string, DatabaseFaultKind>> = {
  // The server is a standby, or a primary that was demoted.
  '25006': 'unavailable',
  '23001': 'foreign_key',
  '23502': 'not_null',
  '23503': 'foreign_key',
  '23505': 'unique',
  '23514': 'check',
  '23P01': 'exclusion',
  '40001': 'serialization',
  '40P01': 'deadlock',
  // The lock table is full, or the server has no memory for the statement.
  '53200': 'unavailable',
  '53300': 'unavailable',
  // The time limit of a wait for a lock (`lock_timeout`).
  '55P03': 'timeout',
  '57014': 'timeout',
  '57P01': 'unavailable',
  '57P02': 'unavailable',
  '57P03': 'unavailable',
  '57P05': 'unavailable',
};

const databaseFaultKindBySqlStateClass: Readonly<Record<string, DatabaseFaultKind>> = {
  '08': 'unavailable',
  '22': 'value',
};

const socketErrorCodes: ReadonlySet<string> = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EPIPE',
  'ETIMEDOUT',
]);

/**
 * Messages of connection errors that have no code. `pg` and `pg-pool` report these errors when a connection breaks or
 * cannot be opened.
 */
const connectionErrorMessages: ReadonlySet<string> = new Set([
  'Connection terminated',
  'Connection terminated unexpectedly',
  'Connection terminated due to connection timeout',
  'Client has encountered a connection error and is not queryable',
  'Query read timeout',
  'timeout exceeded when trying to connect',
  'timeout expired',
]);

/** Returns the kind of database error that a SQLSTATE means, or undefined if the SQLSTATE means a programming error. */
export function findDatabaseFaultKind(state: string): DatabaseFaultKind | undefined {
  return databaseFaultKindBySqlState[state] ?? databaseFaultKindBySqlStateClass[state.slice(0, 2)];
}

/** Returns the property of an error with the given name if its value is a string, otherwise undefined. */
function readStringPropertyOfError(error: Error, name: string): string | undefined {
  const value: unknown = Reflect.get(error, name);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/**
 * Returns the columns named in a detail such as `Key (realm_id, lower(name))=(1, x) already exists.` An expression in
 * the detail is returned in the form that PostgreSQL prints.
 */
export function parseConstraintColumns(detail: string | undefined): string[] | undefined {
  const key = detail === undefined ? undefined : /^Key \((.*?)\)=\(/s.exec(detail)?.[1];
  return key?.split(/, (?![^()]*\))/).map((column) => column.replaceAll('"', ''));
}

/** Converts an error of `pg` or of its socket to a database fault; returns undefined for other errors. */
export function convertPostgresErrorToFault(error: Error): DatabaseFault | undefined {
  const code = readStringPropertyOfError(error, 'code');
  // Only errors of the server have a severity. Without this check, Node's EPIPE would look like a SQLSTATE.
  if (code === undefined || readStringPropertyOfError(error, 'severity') === undefined) {
    const lost = (code !== undefined && socketErrorCodes.has(code)) || connectionErrorMessages.has(error.message);
    return lost ? { kind: 'unavailable', detail: error.message } : undefined;
  }
  const kind = findDatabaseFaultKind(code);
  if (kind === undefined) return undefined;
  const detail = readStringPropertyOfError(error, 'detail');
  const columns = parseConstraintColumns(detail);
  const column = readStringPropertyOfError(error, 'column') ?? (columns?.length === 1 ? columns[0] : undefined);
  return omitUndefinedProperties(kind, {
    constraint: readStringPropertyOfError(error, 'constraint'),
    table: readStringPropertyOfError(error, 'table'),
    column,
    columns: columns ?? (column === undefined ? undefined : [column]),
    detail,
  });
}

/** Returns a database fault without properties that are undefined (`exactOptionalPropertyTypes`). */
export function omitUndefinedProperties(
  kind: DatabaseFaultKind,
  names: { [K in keyof Omit<DatabaseFault, 'kind'>]: DatabaseFault[K] | undefined },
): DatabaseFault {
  const { constraint, table, column, columns, detail } = names;
  return {
    kind,
    ...(constraint !== undefined && { constraint }),
    ...(table !== undefined && { table }),
    ...(column !== undefined && { column }),
    ...(columns !== undefined && { columns }),
    ...(detail !== undefined && { detail }),
  };
}
