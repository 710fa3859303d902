import { Writable } from 'node:stream';
import type { PoolClient } from 'pg';

function streamOf(client: PoolClient): unknown {
  const connection: unknown = Reflect.get(client, 'connection');
  return typeof connection === 'object' && connection !== null ? Reflect.get(connection, 'stream') : undefined;
}

/**
 * Lets everything that `send` gives the connection leave in one write. A write to the server is a system call that
 * costs more than most statements; PostgreSQL reads and answers the statements in order all the same. On a
 * connection whose stream cannot be found they leave one by one.
 */
export function inOneWrite<T>(client: PoolClient, send: () => T): T {
  const stream = streamOf(client);
  if (!(stream instanceof Writable)) return send();
  stream.cork();
  try {
    return send();
  } finally {
    stream.uncork();
  }
}
