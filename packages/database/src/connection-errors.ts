import { translateDatabaseError } from '@switchboard/errors';

function getSqlState(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}

function getErrorSeverity(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'severity') : undefined;
}

/**
 * Returns true for the error of a statement that writes, on a server that accepts only reads: a standby, or a primary
 * that was demoted. The statement had no effect.
 */
export function isReadOnlyServerError(error: unknown): boolean {
  return getSqlState(error) === '25006';
}

/** Returns true for an error that means a lost connection, so that the outcome of its statements is unknown. */
export function isConnectionLossError(error: unknown): boolean {
  // The server also reports a wrong number of values as a protocol violation, after which the connection remains
  // usable.
  if (getSqlState(error) === '08P01' && getErrorSeverity(error) === 'ERROR') return false;
  if (isReadOnlyServerError(error)) return false;
  return translateDatabaseError(error)?.kind === 'unavailable';
}

/**
 * Returns true for an error with which the server itself rejected a statement, so that it did not commit. A shutdown
 * (57P01) proves nothing, because it may be announced after the commit was written.
 */
export function isServerRejection(error: unknown): boolean {
  return typeof getErrorSeverity(error) === 'string' && !isConnectionLossError(error);
}

/**
 * Returns true for the error that the server does not know a prepared statement of this connection. `pg` assumes that
 * the statement is prepared, so every further use of it would fail.
 */
export function isUnknownStatementError(error: unknown): boolean {
  return getSqlState(error) === '26000';
}

/** Returns true for the error of a statement that the server ended because of its time limit or a cancel request. */
export function isCancellationError(error: unknown): boolean {
  return getSqlState(error) === '57014';
}

/** Returns true for the error of a statement that was ignored because an earlier one of its transaction had failed. */
export function isIgnoredStatementError(error: unknown): boolean {
  return getSqlState(error) === '25P02';
}

/** Returns the thrown value if it is an error, otherwise an error with the value as message. */
export function toError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
