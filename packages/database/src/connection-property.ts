import type { ClientBase } from 'pg';

/**
 * Returns a property of the internal connection object that `pg` has created for a client. The type declarations of
 * `pg` lack the object.
 */
export function readPgConnectionProperty(client: ClientBase, property: 'parsedStatements' | 'stream'): unknown {
  const connection: unknown = Reflect.get(client, 'connection');
  return typeof connection === 'object' && connection !== null ? Reflect.get(connection, property) : undefined;
}
