import pg from 'pg';
import type { PoolClient } from 'pg';
import type { Statement } from './tx.js';

const utils: unknown = Reflect.get(pg, 'utils');
const prepareValue: unknown =
  typeof utils === 'object' && utils !== null ? Reflect.get(utils, 'prepareValue') : undefined;

/** Whether `pg` sends a value as it is, or as the text that every such value has. */
function isPlain(value: unknown): boolean {
  return typeof value !== 'object' || value === null || Buffer.isBuffer(value);
}

/**
 * Values as `pg` writes them, which it leaves as they are: the same array when there was nothing to do. `pg` itself finds
 * out that a value has no text when half of a statement was sent: it then closes the statement on the server and still
 * takes it for prepared, and whatever was sent with it is carried out.
 *
 * @throws what the conversion throws: a TypeError for JSON with a circle or a bigint in it.
 */
export function boundValues(values: unknown[]): unknown[] {
  if (typeof prepareValue !== 'function' || values.every(isPlain)) return values;
  return values.map((value: unknown): unknown =>
    isPlain(value) ? value : Reflect.apply(prepareValue, undefined, [value]),
  );
}

/** @throws Error of kind `unavailable` when `pg` knows that this connection is lost, and would send nothing. */
export function assertConnected(client: PoolClient): void {
  if (Reflect.get(client, '_queryable') !== false) return;
  throw new Error('Client has encountered a connection error and is not queryable');
}

function textUnder(client: PoolClient, name: string): unknown {
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
 * A statement that `pg` sends on this connection: what it would refuse is thrown here, before a byte has left.
 *
 * @throws Error when the connection is lost, or knows another text under this name.
 * @throws what {@link boundValues} throws.
 */
export function sendable(client: PoolClient, statement: Statement): Statement {
  assertConnected(client);
  const { name, text, values } = statement;
  const known = name === undefined ? undefined : textUnder(client, name);
  if (known !== undefined && known !== text) {
    throw new Error(`Prepared statements must be unique - '${name}' was used for a different statement`);
  }
  if (!values) return statement;
  const bound = boundValues(values);
  return bound === values ? statement : { ...statement, values: bound };
}
