import type { ClientBase } from 'pg';

/** Returns a property of the connection object that `pg` has opened for a client. */
export function readConnectionProperty(client: ClientBase, property: 'parsedStatements' | 'stream'): unknown {
  const connection: unknown = Reflect.get(client, 'connection');
  return typeof connection === 'object' && connection !== null ? Reflect.get(connection, property) : undefined;
}
