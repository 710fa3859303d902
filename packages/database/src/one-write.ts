import { Writable } from 'node:stream';
import type { PoolClient } from 'pg';

function streamOf(client: PoolClient): unknown {
  const connection: unknown = Reflect.get(client, 'connection');
  return typeof connection === 'object' && connection !== null ? Reflect.get(connection, 'stream') : undefined;
}

/**
 * Sends everything that `send` writes to the connection with one system call, because a system call costs more than
 * most statements. PostgreSQL still executes the statements in order. On a connection without a known stream they are
 * sent one by one.
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
