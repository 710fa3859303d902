import pg from 'pg';
import type { PoolClient } from 'pg';
import type { SqlStatement } from './transaction-interface.js';

const pgUtilityFunctions: unknown = Reflect.get(pg, 'utils');
const convertToPgValue: unknown =
  typeof pgUtilityFunctions === 'object' && pgUtilityFunctions !== null
    ? Reflect.get(pgUtilityFunctions, 'prepareValue')
    : undefined;

/** Returns true if `pg` sends a parameter value unchanged or in the usual text form of the value. */
function canSendParameterUnchanged(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Buffer.isBuffer(value);
}

/**
 * Converts parameter values in the same way as `pg`. Returns a new array, or the given array if no value needs
 * conversion. `pg` detects a value without a conversion only after a part of the statement was sent. `pg` then closes
 * the prepared statement on the server but treats it as prepared, and the server executes the statements sent before.
 *
 * @throws TypeError when a value cannot be converted, such as JSON with a cycle or a bigint
 */
export function convertParameterValues(values: unknown[]): unknown[] {
  if (typeof convertToPgValue !== 'function' || values.every(canSendParameterUnchanged)) return values;
  return values.map((value: unknown): unknown =>
    canSendParameterUnchanged(value) ? value : Reflect.apply(convertToPgValue, undefined, [value]),
  );
}

/**
 * Checks that `pg` considers a connection usable.
 *
 * @throws Error of kind `unavailable` if `pg` has detected that the connection is lost
 */
export function assertPgConnectionUsable(client: PoolClient): void {
  if (Reflect.get(client, '_queryable') !== false) return;
  throw new Error('Client has encountered a connection error and is not queryable');
}

function getPreparedStatementText(client: PoolClient, name: string): unknown {
  const connection: unknown = Reflect.get(client, 'connection');
  if (typeof connection !== 'object' || connection === null) return undefined;
  for (const known of ['parsedStatements', 'submittedNamedStatements']) {
    const texts: unknown = Reflect.get(connection, known);
    const text: unknown = typeof texts === 'object' && texts !== null ? Reflect.get(texts, name) : undefined;
    if (text !== undefined) return text;
  }
  return undefined;
}

/**
 * Returns a statement that `pg` can send on this connection. Errors that `pg` would report while sending are thrown
 * here, before any byte is sent.
 *
 * @throws Error when the connection is lost, or has prepared another text under this name
 * @throws TypeError as {@link convertParameterValues} does
 */
export function convertToSendableStatement(client: PoolClient, statement: SqlStatement): SqlStatement {
  assertPgConnectionUsable(client);
  const { name, text, values } = statement;
  const known = name === undefined ? undefined : getPreparedStatementText(client, name);
  if (known !== undefined && known !== text) {
    throw new Error(`Prepared statements must be unique - '${name}' was used for a different statement`);
  }
  if (!values) return statement;
  const bound = convertParameterValues(values);
  return bound === values ? statement : { ...statement, values: bound };
}
