import { connect, createServer, type Socket } from 'node:net';

/**
 * Starts a connection pooler with two server connections. When the second client begins a transaction, the pooler swaps
 * the server connections of its two clients.
 */
export async function startSwappingPooler(target: string): Promise<{ url: string; close: () => void }> {
  const { hostname, port } = new URL(target);
  const clients: Socket[] = [];
  const servers: Socket[] = [];
  const pool = createServer((client) => {
    const server = connect(Number(port), hostname);
    clients.push(client);
    servers.push(server);
    client.on('data', (bytes) => {
      if (client === clients[1] && bytes.includes('BEGIN')) servers.reverse();
      servers[clients.indexOf(client)]?.write(bytes);
    });
    server.on('data', (bytes) => clients[servers.indexOf(server)]?.write(bytes));
    for (const socket of [client, server]) socket.on('error', () => {});
  });
  await new Promise<void>((resolve) => pool.listen(0, '127.0.0.1', resolve));
  const address = pool.address();
  const url = new URL(target);
  url.hostname = '127.0.0.1';
  url.port = String(typeof address === 'object' && address !== null ? address.port : 0);
  const close = (): void => {
    for (const socket of [...clients, ...servers]) socket.destroy();
    pool.close();
  };
  return { url: url.href, close };
}
