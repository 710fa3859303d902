import { convertErrorToDatabaseFault } from '@switchboard/errors';

function getSqlState(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'code') : undefined;
}

function getErrorSeverity(error: unknown): unknown {
  return error instanceof Error ? Reflect.get(error, 'severity') : undefined;
}

/**
 * Returns true if the error means that a write was sent to a server that accepts only reads: a standby or a demoted
 * primary. The statement had no effect.
 */
export function isReadOnlyServerError(error: unknown): boolean {
  return getSqlState(error) === '25006';
}

/**
 * Returns true if the error means that the connection was lost. The outcome of statements that were running on the
 * connection is then unknown.
 */
export function isConnectionLossError(error: unknown): boolean {
  // The server also reports a wrong number of values as a protocol violation, after which the connection remains
  // usable.
  if (getSqlState(error) === '08P01' && getErrorSeverity(error) === 'ERROR') return false;
  // The server rejects a statement for which it has no memory. The connection remains usable.
  if (getSqlState(error) === '53200' && getErrorSeverity(error) === 'ERROR') return false;
  if (isReadOnlyServerError(error)) return false;
  return convertErrorToDatabaseFault(error)?.kind === 'unavailable';
}

/**
 * Returns true if the server itself rejected a statement, which means that the statement was not committed. Returns
 * false for the error of a shutdown (57P01), because the server may report the shutdown after it has written the
 * commit.
 */
export function isStatementRejectedByServer(error: unknown): boolean {
  return typeof getErrorSeverity(error) === 'string' && !isConnectionLossError(error);
}

/**
 * Returns true if the error means that the prepared statement does not exist on the server for this connection. `pg`
 * assumes that the statement is prepared, so every further use of the statement would fail.
 */
export function isUnknownPreparedStatementError(error: unknown): boolean {
  return getSqlState(error) === '26000';
}

/**
 * Returns true if the error means that the server cancelled a statement, because of a time limit or a cancel request.
 */
export function isStatementCancellationError(error: unknown): boolean {
  return getSqlState(error) === '57014';
}

/**
 * Returns true if the error means that the server ignored a statement because an earlier statement of the same
 * transaction had failed.
 */
export function isIgnoredStatementError(error: unknown): boolean {
  return getSqlState(error) === '25P02';
}

/** Returns the thrown value if it is an error, otherwise a new error whose message is the thrown value as text. */
export function convertThrownValueToError(thrown: unknown): Error {
  return thrown instanceof Error ? thrown : new Error(String(thrown));
}
