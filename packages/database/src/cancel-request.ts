import pg from 'pg';
import type { ClientBase } from 'pg';

/** Time limit for one cancel request to the PostgreSQL server, in milliseconds. */
const CANCEL_REQUEST_TIMEOUT_MS = 5_000;

/** Methods of a `pg` connection that the type declarations of `pg` lack. */
interface CancellableConnection {
  connect(port: number, host: string): void;
  requestSsl(): void;
  cancel(processId: number, secretKey: number): void;
}

function isCancellableConnection(connection: pg.Connection): connection is pg.Connection & CancellableConnection {
  return ['connect', 'requestSsl', 'cancel'].every((name) => typeof Reflect.get(connection, name) === 'function');
}

/**
 * Target of a cancel request: the address of the server, and the secret key of the connection whose statement is
 * cancelled.
 */
interface CancelRequestTarget {
  readonly host: string;
  readonly port: number;
  readonly processId: number;
  readonly secretKey: number;
}

function getCancelRequestTarget(client: ClientBase): CancelRequestTarget {
  const [host, port, processId, secretKey] = ['host', 'port', 'processID', 'secretKey'].map((name): unknown =>
    Reflect.get(client, name),
  );
  if (typeof processId !== 'number' || typeof secretKey !== 'number' || typeof port !== 'number') {
    throw new Error('This connection has no key for cancel requests');
  }
  const address = typeof host === 'string' ? host : 'localhost';
  return { host: address.startsWith('/') ? `${address}/.s.PGSQL.${port}` : address, port, processId, secretKey };
}

function openCancelRequestConnection(client: ClientBase): pg.Connection & CancellableConnection {
  const ssl: unknown = Reflect.get(client, 'ssl');
  const settings = { ssl, sslNegotiation: Reflect.get(client, 'sslNegotiation') } as pg.ConnectionConfig;
  const connection = new pg.Connection(settings);
  if (!isCancellableConnection(connection)) throw new Error('This version of pg sends no cancel requests');
  return connection;
}

/**
 * Asks the server to cancel the running statement of a connection (PostgreSQL documentation, 55.2.8 "Canceling Requests
 * in Progress"). The request uses a separate connection, with TLS if configured. It also works through connection
 * poolers, and even if the server's connection limit is reached. Resolves when the server has closed the separate
 * connection. By then, the server has signalled the process that runs the statement.
 *
 * @throws Error when the server cannot be reached or does not respond within 5 s
 */
export function sendCancelRequest(client: ClientBase): Promise<void> {
  const { host, port, processId, secretKey } = getCancelRequestTarget(client);
  const connection = openCancelRequestConnection(client);
  const isTls = Boolean(Reflect.get(client, 'ssl'));
  const isDirectTls = Reflect.get(client, 'sslNegotiation') === 'direct';
  return new Promise((resolve, reject) => {
    const fail = (error: Error): void => {
      clearTimeout(timer);
      connection.stream.destroy();
      reject(error);
    };
    const timer = setTimeout(
      () => fail(new Error('A cancel request got no response in time')),
      CANCEL_REQUEST_TIMEOUT_MS,
    );
    connection.once('connect', () => {
      if (!isTls) connection.cancel(processId, secretKey);
      else if (!isDirectTls) connection.requestSsl();
    });
    connection.once('sslconnect', () => connection.cancel(processId, secretKey));
    connection.on('error', fail);
    connection.once('end', () => {
      clearTimeout(timer);
      resolve();
    });
    if (host.startsWith('/')) Reflect.apply(Reflect.get(connection, 'connect'), connection, [host]);
    else connection.connect(port, host);
  });
}
